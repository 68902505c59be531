import { readFileSync } from 'node:fs';
import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { keepFile } from './keep-file.ts';

/**
 * Writes the chart's README, its copy of the defaults, and the descriptions and defaults of its values.schema.json, from the comments and values of
 * its values.yaml; `--check` fails when they are not up to date. Fails too when a value has no description, and when
 * values and schema do not have the same keys.
 */
const CHART = new URL('../../charts/outrider/', import.meta.url);

/** What such a key means wherever it stands. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  enabled: 'Whether it is made.',
  replicas: 'Pods.',
  resources: 'Requests and limits of the container.',
  logLevel: 'From this level on is logged.',
  podDisruptionBudget: 'At most one pod away at a time by choice.',
  podLabels: 'Further labels of its pods.',
  podAnnotations: 'Further annotations of its pods.',
  priorityClassName: 'Priority class of its pods.',
  nodeSelector: 'Labels of the nodes that its pods may run on.',
  tolerations: 'Taints that its pods tolerate.',
  affinity: 'Affinity of its pods.',
  topologySpreadConstraints: 'How its pods are spread; empty: over nodes where that can be.',
  extraEnv: 'Further environment of its container, as in a Pod.',
  extraVolumes: 'Further volumes of its pods.',
  extraVolumeMounts: 'Where the container mounts them.',
  labels: 'Further labels of the objects.',
  annotations: 'Further annotations of the objects.',
  metricRelabelings: 'What becomes of the samples, as in the monitor.',
  interval: 'How often it is scraped.',
  refreshInterval: 'How often the store is read.',
};

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  description?: string;
  default?: unknown;
  additionalProperties?: unknown;
  if?: Schema;
}

/** What a parent chart says of this one; the chart itself does not look at it. */
const OF_PARENTS = new Set(['enabled']);

interface Row {
  path: string;
  type: string;
  value: string;
  text: string;
}

const DEFAULTS = '# Generated from values.yaml by `make generate`: templates can not read that file.\n';

const problems: string[] = [];

function commentOf(pair: Pair, first: boolean, map: YAMLMap): string {
  const key = pair.key as { commentBefore?: string };
  const own = key.commentBefore ?? (first ? map.commentBefore : undefined) ?? '';
  // A line apart from the key's own belongs to what stands before it.
  return (own.split(/\n\s*\n/).at(-1) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
}

/** Walks values and schema side by side; `inherited`: the comment of the mapping above, which says it for all. */
function walk(map: YAMLMap, schema: Schema, path: string, inherited: string): Row[] {
  const known = new Set(Object.keys(schema.properties ?? {}));
  const rows = map.items.flatMap((pair, index): Row[] => {
    const name = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const at = path === '' ? name : `${path}.${name}`;
    const described = schema.properties?.[name];
    known.delete(name);
    if (!described) {
      problems.push(`${at} stands in values.yaml and not in values.schema.json`);
      return [];
    }
    const comment = commentOf(pair as Pair, index === 0, map);
    const inner = isMap(pair.value) && described.properties && name !== 'resources';
    if (inner) return walk(pair.value as YAMLMap, described, at, comment || inherited);
    const text = comment || (name === 'enabled' && inherited) || EVERYWHERE[name] || inherited;
    if (text === '') problems.push(`${at} has no comment in values.yaml`);
    const value = (pair.value as { toJSON(): unknown } | null)?.toJSON() ?? null;
    described.description = text;
    described.default = value;
    return [{ path: at, type: typeOf(described), value: JSON.stringify(value), text }];
  });
  for (const name of known)
    if (path !== '' || !OF_PARENTS.has(name))
      problems.push(`${path}.${name} stands in values.schema.json and not in values.yaml`);
  return rows;
}

function typeOf(schema: Schema): string {
  if (schema.enum)
    return schema.enum
      .filter((one) => one !== null)
      .map((one) => `\`${one === '' ? '""' : String(one)}\``)
      .join(', ');
  const types = [schema.type ?? 'any'].flat().filter((type) => type !== 'null' || schema.default === null);
  return types.join(' or ');
}

/** A key with only comments below it is null, and as good as absent: the chart fills it in. */
function nullable(schema: Schema): void {
  for (const inner of Object.values(schema.properties ?? {})) {
    if (inner.type !== undefined) inner.type = [...new Set([inner.type].flat()), 'null'].filter(once);
    if (inner.enum && !inner.enum.includes(null)) inner.enum.push(null);
    nullable(inner);
  }
}

const once = (value: string, index: number, list: readonly string[]): boolean => list.indexOf(value) === index;

function readme(rows: readonly Row[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const lines = rows.map((row) => `| \`${row.path}\` | ${row.type} | \`${cell(row.value)}\` | ${cell(row.text)} |`);
  return `# Chart of Outrider

The operator, the MCP server, the three resource definitions and the Jobs that migrate the database and make the first key.
[Install](../../docs/install.md), [upgrade](../../docs/upgrade.md) and [operate](../../docs/kubernetes.md) it; works with
Helm 3.17 and 4.

## Values

Generated from values.yaml by \`make generate\`. What is not in this table is refused by name.

| value | type | default | what |
|---|---|---|---|
${lines.join('\n')}
`;
}

function main(): void {
  const schema = JSON.parse(readFileSync(new URL('values.schema.json', CHART), 'utf8')) as Schema;
  const values = parseDocument(readFileSync(new URL('values.yaml', CHART), 'utf8'));
  const rows = walk(values.contents as YAMLMap, schema, '', '');
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  nullable(schema);
  keepFile('charts/outrider/README.md', readme(rows));
  keepFile('charts/outrider/files/defaults.yaml', `${DEFAULTS}${stringify(values.toJSON(), { lineWidth: 0 })}`);
  keepFile('charts/outrider/values.schema.json', `${JSON.stringify(schema, null, 2)}\n`);
}

main();
