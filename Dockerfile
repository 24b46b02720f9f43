# The command line program and its service, built from these sources: docker build -t fettle:0.1.0 .
FROM node:22-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && node scripts/image.mjs /image && node scripts/sbom.mjs --optional > /image/sbom.cdx.json
WORKDIR /image
RUN npm ci --ignore-scripts --no-audit --no-fund

FROM node:22-slim
LABEL org.opencontainers.image.title="fettle" \
      org.opencontainers.image.description="Matches and enriches company lists, and proves what happened to every row" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.url="https://fettle.example.org" \
      org.opencontainers.image.source="https://fettle.example.org/fettle.git"
COPY --from=build /image /opt/fettle
COPY docker/health.mjs /opt/fettle/health.mjs
# Lists, pipelines and runs lie in /work; registers and the data of `serve` in /data.
RUN ln -s /opt/fettle/dist/cli/main.js /usr/local/bin/fettle && install -d -o 1000 -g 1000 /data /work
ENV NODE_ENV=production FETTLE_DATA=/data
# By number, so that Kubernetes can prove that it is not root.
USER 1000:1000
WORKDIR /work
VOLUME ["/data"]
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 CMD ["node", "/opt/fettle/health.mjs"]
ENTRYPOINT ["fettle"]
CMD ["--help"]
