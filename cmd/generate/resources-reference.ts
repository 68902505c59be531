import { customResourceDefinition } from '../../pkg/api/crd.ts';
import { GROUP, type Kind, VERSION } from '../../pkg/api/kind.ts';
import { KINDS } from '../../pkg/api/kinds.ts';
import { keepFile } from './keep-file.ts';

/** Writes docs/resources.md from the schemas of the three kinds; `--check` fails when it is not up to date. */

interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  format?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-validations'?: { message: string }[];
  [bound: string]: unknown;
}

/** Fields without a word: a person would meet them in `kubectl explain`, too. */
const silent: string[] = [];

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((one) => `\`${String(one)}\``).join(', ');
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties) return `map of ${typeOf(schema.additionalProperties)}`;
  return schema.format === 'date-time' ? 'time' : (schema.type ?? 'any');
}

function boundsOf(schema: Schema): string {
  const between = (low: unknown, high: unknown, unit: string): string[] => {
    if (high === undefined) return low === undefined || low === 0 ? [] : [`at least ${String(low)}${unit}`];
    return [
      low === undefined || low === 0 ? `up to ${String(high)}${unit}` : `${String(low)} to ${String(high)}${unit}`,
    ];
  };
  const said = [
    ...between(schema['minimum'], schema['maximum'], ''),
    ...between(schema['minLength'], schema['maxLength'], ' characters'),
    ...between(schema['minItems'], schema['maxItems'] ?? schema['maxProperties'], ' entries'),
    ...(schema['pattern'] === undefined ? [] : [`\`${String(schema['pattern'])}\``]),
  ];
  return said.length === 0 ? '' : `(${said.join(', ')})`;
}

function rowsOf(schema: Schema, path: string): string[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const at = `${path}.${name}`;
    const below = inner.items?.properties
      ? rowsOf(inner.items, `${at}[]`)
      : inner.additionalProperties?.properties
        ? rowsOf(inner.additionalProperties, `${at}.*`)
        : rowsOf(inner, at);
    if (!inner.description) silent.push(at);
    const value = inner.default === undefined ? '' : `Default \`${JSON.stringify(inner.default)}\`.`;
    const rules = (inner['x-kubernetes-validations'] ?? []).map(({ message }) => `Rule: ${message}.`);
    const text = [inner.description, boundsOf(inner), value, ...rules].filter(Boolean).join(' ');
    const cells = [`\`${at}\``, typeOf(inner), required.has(name) ? 'yes' : '', text.replaceAll('|', '\\|')];
    return [`| ${cells.join(' | ')} |`, ...below];
  });
}

function table(schema: Schema, path: string): string {
  return ['| field | type | needed | what |', '|---|---|---|---|', ...rowsOf(schema, path)].join('\n');
}

function sectionOf(kind: Kind): string {
  const definition = customResourceDefinition(kind) as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  const object = definition.spec.versions[0]?.schema.openAPIV3Schema ?? {};
  const { spec = {}, status = {} } = object.properties ?? {};
  const rules = [object, spec].flatMap((one) => (one['x-kubernetes-validations'] ?? []).map(({ message }) => message));
  const fields = kind.selectableFields.map((path) => `\`${path.slice(1)}\``).join(', ');
  return `## ${kind.kind}

${kind.description} \`kubectl get ${kind.shortNames[0]}\`; field selectors: ${fields}.

${rules.map((rule) => `- ${rule}`).join('\n')}

${table(spec, 'spec')}

What the operator says of it:

${table(status, 'status')}
`;
}

const text = `# Resources

Generated from the schemas by \`make generate\`. API group \`${GROUP}/${VERSION}\`; \`kubectl explain\` says the same. What the
conditions mean is in [Conditions](conditions.md), an example in [workspace.yaml](examples/workspace.yaml).

Signal agents, watches, exclusions and automations are rows in Postgres and no resources: they change often, belong to the owner of a
campaign and not to the platform, and what they decide is kept with them in one transaction. Tools change them (\`svc_create_signal_agent\` …).

${Object.values(KINDS).map(sectionOf).join('\n')}`;
if (silent.length > 0) {
  console.error(`Without a description: ${[...new Set(silent)].join(', ')}`);
  process.exit(1);
}
keepFile('docs/resources.md', text);
