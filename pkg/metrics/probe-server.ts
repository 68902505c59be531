import Koa from 'koa';
import type { Registry } from 'prom-client';
import { HttpListener, SMALL_BOUNDS } from '../base/http/http-listener.ts';

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
 * Serves `/metrics`, `/livez` and `/readyz`: what every process of the product shows of itself. Kubelets and scrapers ask under
 * whatever address they have, and often: it judges no Host and keeps no access log.
 * @throws Error with code EADDRINUSE
 */
export async function serveProbes(options: ProbeServerOptions): Promise<ProbeServer> {
  const listener = new HttpListener(probeApp(options), SMALL_BOUNDS);
  const url = await listener.listen(options.host, options.port);
  return { url, close: () => listener.close() };
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
