import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const FILES = new URL('../../charts/outrider/files/', import.meta.url).pathname;
export const RULES = join(FILES, 'rules');

export interface DashboardFile {
  uid: string;
  title: string;
  templating: { list: { name: string; type: string; query: string }[] };
  panels: { type: string; title: string; description?: string; datasource?: object; targets?: { expr: string }[] }[];
}
export interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}
/** An expression and where it stands. */
export interface Expression {
  where: string;
  expr: string;
}

/** The chart's dashboards by file name. */
export function dashboards(): Map<string, DashboardFile> {
  const folder = join(FILES, 'dashboards');
  return new Map(
    readdirSync(folder).map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as DashboardFile]),
  );
}

/** All recording and alert rules of the chart. */
export function rules(): Rule[] {
  return readdirSync(RULES).flatMap((name) => {
    const { groups } = parse(readFileSync(join(RULES, name), 'utf8')) as { groups: { rules: Rule[] }[] };
    return groups.flatMap((group) => group.rules);
  });
}

/** Every expression of every dashboard, with Grafana's interval as `window`; other variables are left in place. */
export function dashboardExpressions(window: string): Expression[] {
  return [...dashboards()].flatMap(([name, { panels }]) =>
    panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({
        where: `${name}: ${panel.title}`,
        expr: expr.replaceAll('$__rate_interval', window),
      })),
    ),
  );
}

const WORDS = new Set(
  'by without on ignoring group_left group_right and or unless bool offset sum max min avg count quantile'.split(' '),
);

/** Names of the metrics that an expression reads. */
export function metricsOf(expr: string): string[] {
  const bare = expr
    .replace(/"[^"]*"/g, '""')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '');
  const names = [...bare.matchAll(/[a-zA-Z_:][a-zA-Z0-9_:]*(?![a-zA-Z0-9_:]|\s*\()/g)].map(([name]) => name);
  return [...new Set(names.filter((name) => !WORDS.has(name) && name.length > 3))];
}

/** The selectors of an expression: each metric with its matchers, without functions, ranges and comparisons. */
export function selectorsOf(expr: string): string[] {
  const metrics = metricsOf(expr);
  return metrics.flatMap((metric) => {
    const found = [...expr.matchAll(new RegExp(`\\b${metric}\\b(\\{[^}]*\\})?`, 'g'))];
    return [...new Set(found.map((match) => match[0]))];
  });
}
