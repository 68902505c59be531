# The image of `make image`, built by a container engine: the programs, node and its C library, no shell.
# Built by the same code; that a container engine builds it was not tried here.
FROM node:24-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --no-fund --no-audit
COPY . .
RUN node_modules/.bin/node cmd/image/main.ts --rootfs /out

FROM scratch
COPY --from=build /out /
WORKDIR /app
ENV PATH=/usr/local/bin NODE_ENV=production HOME=/tmp
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/node"]
CMD ["--max-semi-space-size=4", "cmd/mcp-server/main.mjs"]
