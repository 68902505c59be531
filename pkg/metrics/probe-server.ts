import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Registry } from 'prom-client';

/** Real ms for the headers of a request, and for all of it. */
const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
/** Connections at once; scrapers and kubelets need a few. */
const MAX_CONNECTIONS = 100;

export interface ProbeServerOptions {
  host: string;
  /** 0: a free one. */
  port: number;
  registry: Registry;
  /** Sets gauges of the present moment, before the metrics are written. */
  beforeScrape?: () => void;
  /** Absent: ready as long as it lives. */
  isReady?: () => boolean;
}

export interface ProbeServer {
  /** Its base URL. */
  url: string;
  close: () => Promise<void>;
}

/**
 * Serves `/metrics`, `/livez` and `/readyz`: what every process of the product shows of itself. It alone keeps no process alive.
 * @throws Error with code EADDRINUSE
 */
export async function serveProbes(options: ProbeServerOptions): Promise<ProbeServer> {
  const handle = probeApp(options).callback();
  // Koa answers what fails and throws nothing.
  const server = createServer((request, response) => void handle(request, response));
  server.requestTimeout = REQUEST_MS;
  server.headersTimeout = HEADERS_MS;
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, options);
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function probeApp({ registry, beforeScrape, isReady }: ProbeServerOptions): Koa {
  const app = new Koa();
  // A probe that is cut off, or figures that can not be read, are for the scraper to tell.
  app.silent = true;
  app.use(async (ctx) => {
    if (ctx.path === '/metrics') {
      beforeScrape?.();
      // As it is: Koa would put the type's parameters in another order.
      ctx.set('content-type', registry.contentType);
      ctx.body = await registry.metrics();
    } else if (ctx.path === '/livez') {
      ctx.body = 'ok\n';
    } else if (ctx.path === '/readyz') {
      const ready = isReady?.() ?? true;
      ctx.status = ready ? 200 : 503;
      ctx.body = ready ? 'ok\n' : 'not ready\n';
    } else {
      ctx.status = 404;
      ctx.body = 'not found\n';
    }
  });
  return app;
}

function listen(server: Server, { host, port }: ProbeServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}
