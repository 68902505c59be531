import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of the MCP server. No label names a key or a workspace. */
export interface McpMetrics {
  calls: Counter<'tool_domain' | 'result'>;
  duration: Histogram<'category'>;
  rejections: Counter<'category'>;
  limits: Gauge<'category'>;
  authFailures: Counter;
  streams: Gauge;
  buildInfo: Gauge<'version' | 'node_version'>;
}

/** Declares them on a registry. */
export function createMcpMetrics(registry: Registry): McpMetrics {
  const registers = [registry];
  return {
    calls: new Counter({
      name: 'outrider_mcp_tool_calls_total',
      help: 'Tool calls by domain and result (ok, refused, fault).',
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
    buildInfo: new Gauge({
      name: 'outrider_build_info',
      help: 'Version of this program.',
      labelNames: ['version', 'node_version'],
      registers,
    }),
  };
}
