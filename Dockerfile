# SPDX-License-Identifier: Apache-2.0
# docker build --target=sidecar .   the sidecar
# docker build --target=cli .       the terminal UI
# docker build --target=test .      lint and the tests that need no privilege
# Nothing here names a processor: each stage builds for the platform that it runs on.

FROM debian:bookworm-slim AS tools
WORKDIR /src
COPY scripts/install-deps scripts/install-deps
RUN scripts/install-deps programs && rm -rf /var/lib/apt/lists/*

FROM tools AS build
COPY . .
RUN meson setup /build --buildtype=release --prefix=/usr --strip -Dguests=false \
    && DESTDIR=/out meson install -C /build \
    && scripts/shared-libraries --names /out/usr/bin/compass /out/usr/bin/compass-sidecar >/out/packages

# What both programs are linked with, so that the two images share all but the programs.
FROM debian:bookworm-slim AS runtime
COPY --from=build /out/packages /usr/share/compass/packages
RUN apt-get update \
    && apt-get install -y --no-install-recommends $(cat /usr/share/compass/packages) ca-certificates \
    && rm -rf /var/lib/apt/lists/*

FROM runtime AS cli
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin compass
COPY --from=build /out/usr/bin/compass /usr/bin/compass
# The screen is drawn in UTF-8, whatever the one who attaches has set.
ENV LANG=C.UTF-8 TERM=xterm-256color
USER compass
ENTRYPOINT ["/usr/bin/compass"]

FROM runtime AS sidecar
COPY --from=build /out/usr/bin/compass-sidecar /usr/bin/compass-sidecar
EXPOSE 28624
# Root without capabilities but those that the container is given: it loads BPF programs, and reads
# the files of other users' processes.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/28624 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '^HTTP/1.[01] 200' <&3"]
ENTRYPOINT ["/usr/bin/compass-sidecar"]

# More packages on the same tools: a change of the sources installs none of them again.
FROM tools AS test
RUN scripts/install-deps unit && rm -rf /var/lib/apt/lists/*
COPY . .
# The linters look at what is tracked; the context comes without its history.
RUN git init -q && git add -A && make lint
RUN make test-unprivileged
