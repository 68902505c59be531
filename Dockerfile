# One image, several entry points: node cmd/<entry>/main.ts
FROM node:24-slim AS install
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --omit=dev

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=install /app/node_modules ./node_modules
COPY package.json ./
COPY cmd ./cmd
COPY pkg ./pkg
COPY crds ./crds
USER 65532:65532
ENTRYPOINT ["node"]
CMD ["cmd/mcp-server/main.ts"]
