// Boards to start from, one for each keyword: in each, the keyword matters for the best turn.

export const FIRST = "Lethal behind a taunt";

/** @type {Record<string, string>} */
export const EXAMPLES = {
  [FIRST]:
    "4 mana | me 9hp: Chillwind Yeti, Bloodfen Raptor, Boulderfist Ogre | hand: Wolfrider, Stonetusk Boar, Sen'jin Shieldmasta | enemy 12hp: Sen'jin Shieldmasta, Magma Rager",
  "Two spells on one minion": "3 mana | me 30hp: Bloodfen Raptor | hand: Windfury, Blessing of Might | enemy 12hp",
  Taunt: "2 mana | me 8hp: 3/2, 2/3 | hand: Frostwolf Grunt | enemy 20hp: 2/4 taunt, 5/1",
  Charge: "4 mana | me 20hp | hand: Wolfrider, Stonetusk Boar | enemy 4hp: 2/2",
  Rush: "4 mana | me 20hp | hand: Minion (3) 4/2 rush, Minion (1) 1/1 | enemy 15hp: 4/4, 1/1",
  Windfury: "0 mana | me 20hp: 4/5 windfury, 2/2 | enemy 10hp: 3/2, 1/4",
  "Mega windfury": "0 mana | me 20hp: 3/6 mega_windfury | enemy 14hp: 1/1, 2/2, 4/3",
  "Divine shield": "1 mana | me 20hp: 3/1 divine_shield, 3/3 | hand: Argent Squire | enemy 20hp: 5/3, 2/3",
  Poisonous: "0 mana | me 20hp: 1/1 poisonous, 4/4 | enemy 20hp: 8/8, 2/1",
  Lifesteal: "0 mana | me 5hp: 3/4 lifesteal, 2/2 | enemy 20hp: 4/3, 3/1",
  Stealth: "0 mana | me 20hp: 4/2 stealth, 3/3 | enemy 9hp: 2/2 stealth, 3/3",
  Reborn: "0 mana | me 20hp: 2/3 reborn, 3/3 | enemy 20hp: 3/1 reborn, 4/3",
  Frozen: "0 mana | me 20hp: 5/5 frozen, 3/2 | enemy 12hp: 3/3, 2/4",
  Freeze: "0 mana | me 10hp: 3/6 freeze, 2/2 | enemy 20hp: 7/7, 3/2",
  Immune: "0 mana | me 12hp: 3/3 immune, 2/2 | enemy 20hp: 6/6, 2/3",
  Elusive: "4 mana | me 20hp | hand: Fireball | enemy 20hp: 4/3 elusive, 3/3",
  "Cannot attack": "0 mana | me 20hp: 4/5 cannot_attack, 3/2 | enemy 12hp: 3/3",
  Echo: "6 mana | me 20hp | hand: Minion (2) 2/1 echo | enemy 20hp: 3/3",
  Magnetic: "4 mana | me 20hp: Harvest Golem | hand: Wargear | enemy 6hp: 2/3",
  Tradeable: "2 mana | me 20hp: 2/2 | hand: Minion (3) 3/3 tradeable | deck: 5 | enemy 20hp: 3/2",
};

export const EMPTY = { mana: 10, me: { hero: { health: 30 } }, enemy: { hero: { health: 30 } } };
