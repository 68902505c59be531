import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface ProbeServerOptions {
  host: string;
  /** 0: a free one. */
  port: number;
  registry: Registry;
  /** Called before the metrics are written. */
  beforeScrape: () => void;
  isReady: () => boolean;
}

/** Serves `/metrics`, `/livez` and `/readyz`. @returns its base URL and how to close it */
export async function serveProbes(options: ProbeServerOptions): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    answer(options, request.url ?? '/').then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500, { 'content-type': 'text/plain' }).end('failed\n'),
    );
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 5_000;
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function listen(server: Server, { host, port }: ProbeServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}

async function answer(
  options: ProbeServerOptions,
  url: string,
): Promise<{ status: number; type: string; body: string }> {
  const path = url.split('?')[0];
  if (path === '/metrics') {
    options.beforeScrape();
    return { status: 200, type: options.registry.contentType, body: await options.registry.metrics() };
  }
  if (path === '/livez') return { status: 200, type: 'text/plain', body: 'ok\n' };
  if (path !== '/readyz') return { status: 404, type: 'text/plain', body: 'not found\n' };
  return options.isReady()
    ? { status: 200, type: 'text/plain', body: 'ok\n' }
    : { status: 503, type: 'text/plain', body: 'not ready\n' };
}
