import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of the MCP server. No label names a key or a workspace. */
export type McpMetrics = ReturnType<typeof createMcpMetrics>;

/** Declares them on a registry. */
export function createMcpMetrics(registry: Registry) {
  const registers = [registry];
  return {
    calls: new Counter({
      name: 'outrider_mcp_tool_calls_total',
      help: 'Tool calls by domain and result (ok, refused, cancelled, fault); what failed before its tool was known has the domain none.',
      labelNames: ['tool_domain', 'result'],
      registers,
    }),
    duration: new Histogram({
      name: 'outrider_mcp_tool_duration_seconds',
      help: 'Time from an authenticated request to its answer.',
      labelNames: ['category'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    rejections: new Counter({
      name: 'outrider_rate_limit_rejections_total',
      help: 'Calls refused by a request limit.',
      labelNames: ['category'],
      registers,
    }),
    limits: new Gauge({
      name: 'outrider_rate_limit_limit',
      help: 'Active request limits per minute and key.',
      labelNames: ['category'],
      registers,
    }),
    authFailures: new Counter({
      name: 'outrider_mcp_authentication_failures_total',
      help: 'Requests without a valid key.',
      registers,
    }),
    streams: new Gauge({ name: 'outrider_mcp_open_streams', help: 'Open event streams.', registers }),
    auditLost: new Counter({
      name: 'outrider_audit_records_lost_total',
      help: 'Calls that the audit log lacks for good, where it tells a gap: their records could not be written, or too many waited.',
      registers,
    }),
    sealedSecrets: new Gauge({
      name: 'outrider_sealed_secrets',
      help: 'Stored secrets by the key that sealed them: the current one, an old one that only opens, or unknown: none that is given. Counted every 10 minutes.',
      labelNames: ['sealed_by'],
      registers,
    }),
    redisUp: new Gauge({
      name: 'outrider_redis_up',
      help: '1 while Redis counts calls, 0 while Postgres does in its place; no series without Redis.',
      labelNames: ['use'],
      registers,
    }),
  };
}

/** Results of a call, as `outrider_mcp_tool_calls_total` names them. */
const RESULTS = ['ok', 'refused', 'cancelled', 'fault'];

/** Domain of a request that failed before its tool was known, for example because its key could not be read. */
const NO_DOMAIN = 'none';

/** A request that is answered by nothing but that there is a fault; no tool counts it. */
export function countFault(metrics: McpMetrics): void {
  metrics.calls.inc({ tool_domain: NO_DOMAIN, result: 'fault' });
}

/** Series begin at 0, so that the first fault is an increase and not a series out of nothing. */
export function openMcpSeries(metrics: McpMetrics, domains: Iterable<string>, categories: Iterable<string>): void {
  for (const tool_domain of [...domains, NO_DOMAIN])
    for (const result of RESULTS) metrics.calls.inc({ tool_domain, result }, 0);
  for (const category of categories) {
    metrics.rejections.inc({ category }, 0);
    if (category !== 'overall') metrics.duration.zero({ category });
  }
}
