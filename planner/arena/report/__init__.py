"""Reports of finished tournaments: tables for notebooks, an HTML page, plots, and figures and tables for papers."""
