/** A quantile of a histogram over Grafana's rate interval, kept apart by `by`. */
export function quantile(q: number, metric: string, by: readonly string[] = [], match = ''): string {
  return `histogram_quantile(${q}, sum by (${[...by, 'le'].join(', ')}) (rate(${metric}_bucket${match}[$__rate_interval])))`;
}

/** The rate of a counter over Grafana's rate interval, summed up and kept apart by `by`. */
export function rate(metric: string, by: readonly string[] = [], match = ''): string {
  return `sum by (${by.join(', ')}) (rate(${metric}${match}[$__rate_interval]))`;
}
