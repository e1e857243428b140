# The image of Lookout, for linux/amd64 and linux/arm64:
#   docker build --tag lookout:0.1.0 .
#   docker buildx build --platform linux/amd64,linux/arm64 --tag REGISTRY/lookout:0.1.0 --push .
# The program is JavaScript, so the first stage runs once, on the machine that builds.

FROM --platform=$BUILDPLATFORM docker.io/library/node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node tools/image.ts /image && mkdir /volume

# Node, its libraries, certificates and the user 65532. No shell and no package manager.
FROM gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lookout" \
      org.opencontainers.image.description="Updates the images of Kubernetes workloads after each push, and gives the reason if an update waits." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image/ /
COPY --from=build --chown=65532:65532 /volume/ /var/lib/lookout/
# A volume's own folder may belong to root, and may contain lost+found. So the state is one folder below.
ENV PATH=/usr/local/bin:/usr/bin:/bin LOOKOUT_DATA=/var/lib/lookout/state NODE_ENV=production
USER 65532:65532
# `lookout start` reads lookout.yaml here.
WORKDIR /etc/lookout
VOLUME ["/var/lib/lookout"]
EXPOSE 4040
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/nodejs/bin/node", "/opt/lookout/bin/healthz.js"]
ENTRYPOINT ["lookout"]
CMD ["start"]
