import { Gauge, type Registry } from 'prom-client';

/** What a connection pool tells at the moment of a scrape: connections and waiting queries. */
export interface PoolProbe {
  inUse: number;
  waiting: number;
  max: number;
}

/** Metrics that every process of the product has. */
export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;

/** Declares them, once per registry. A pool shows once its probe is put into `poolProbes`. */
export function createProcessMetrics(registry: Registry) {
  const probes = new Map<string, () => PoolProbe>();
  const poolGauge = (name: string, help: string, pick: (probe: PoolProbe) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, probe] of probes) this.set({ pool }, pick(probe()));
      },
    });
  return {
    buildInfo: new Gauge({
      name: 'outrider_build_info',
      help: 'Version of this program; always 1.',
      labelNames: ['version', 'node_version'],
      registers: [registry],
    }),
    poolProbes: probes,
    poolInUse: poolGauge('outrider_db_pool_in_use', 'Database connections that work now.', (probe) => probe.inUse),
    poolWaiting: poolGauge(
      'outrider_db_pool_waiting',
      'Transactions that wait for a database connection; above 0 for long, the pool is too small or the database slow.',
      (probe) => probe.waiting,
    ),
    poolMax: poolGauge('outrider_db_pool_max', 'Database connections at most.', (probe) => probe.max),
  };
}
