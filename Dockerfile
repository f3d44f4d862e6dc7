# The first stage compiles the engine. The second stage, which is shipped, has no compiler.
FROM python:3.11-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
RUN python -m venv /opt/planner
COPY . .
RUN /opt/planner/bin/pip install --no-cache-dir --constraint requirements.txt ".[serve]"
# The package also installs without the engine, but then plans take much longer.
WORKDIR /
RUN /opt/planner/bin/python -c "from planner.games.hearthstone.engine import available; assert available()"

FROM python:3.11-slim-bookworm
COPY --from=build /opt/planner /opt/planner
RUN useradd --system --home-dir /tmp planner && install --directory --owner planner /tables
USER planner
WORKDIR /tmp
ENV PATH=/opt/planner/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PLANNER_JOURNAL=/tmp/tables.db
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
# The service requires PLANNER_TOKEN in its environment, because the port is reachable from other machines.
ENTRYPOINT ["planner", "serve", "--host", "0.0.0.0"]
