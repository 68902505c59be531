import { celProblem } from './cel.ts';
import { isObject } from './schema.ts';
import type { Cause } from './status.ts';
import type { Column, Fields, Kind, Schema, Stored } from './types.ts';

const KNOWN_KEYS = new Set([
  'type',
  'format',
  'description',
  'properties',
  'additionalProperties',
  'items',
  'required',
  'enum',
  'default',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'nullable',
  'title',
  'example',
  'externalDocs',
  'anyOf',
  'allOf',
  'oneOf',
  'not',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);
const RULE_KEYS = new Set(['rule', 'message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf']);
const FORMATS = new Set(['date-time', 'int32', 'int64', 'double', 'float', 'byte', 'email', 'uri', 'uuid', 'date']);

interface CrdSpec extends Fields {
  group: string;
  scope: string;
  names: {
    plural: string;
    singular?: string;
    kind: string;
    listKind?: string;
    shortNames?: string[];
    categories?: string[];
  };
  conversion?: { strategy?: string };
  versions: {
    name: string;
    served: boolean;
    storage: boolean;
    schema?: { openAPIV3Schema?: Schema };
    subresources?: { status?: object; scale?: object };
    additionalPrinterColumns?: Column[];
    selectableFields?: { jsonPath: string }[];
  }[];
}

/** The kind that a definition serves (one version; the storage version). */
export function kindOfCrd(crd: Stored): Kind {
  const spec = crd['spec'] as CrdSpec;
  const version = spec.versions.find((entry) => entry.storage);
  const { names } = spec;
  return {
    group: spec.group,
    version: version?.name ?? '',
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === 'Namespaced',
    hasStatus: version?.subresources?.status !== undefined,
    schema: version?.schema?.openAPIV3Schema ?? null,
    columns: version?.additionalPrinterColumns ?? [
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    selectable: (version?.selectableFields ?? []).map((field) => field.jsonPath),
    hasGeneration: true,
  };
}

/** What this server can't serve exactly is refused at creation, naming the path; never half served. */
export function crdProblems(crd: Stored): Cause[] {
  const spec = crd['spec'];
  const bad = (field: string, message: string): Cause => ({ reason: 'FieldValueInvalid', field, message });
  if (!isObject(spec) || !isObject(spec['names']) || !Array.isArray(spec['versions']))
    return [bad('spec', 'Required value: group, names, scope and versions')];
  const definition = spec as CrdSpec;
  const causes: Cause[] = [];
  if (crd.metadata.name !== `${definition.names.plural}.${definition.group}`) {
    causes.push(bad('metadata.name', `Invalid value: must be spec.names.plural+"."+spec.group`));
  }
  if (definition.conversion?.strategy === 'Webhook')
    causes.push(
      bad('spec.conversion.strategy', 'Unsupported value: "Webhook": this development server has no conversion'),
    );
  if (definition.versions.length !== 1)
    causes.push(bad('spec.versions', 'Unsupported value: this development server serves exactly one version'));
  for (const [index, version] of definition.versions.entries()) {
    const at = `spec.versions[${index}]`;
    if (version.subresources?.scale)
      causes.push(
        bad(`${at}.subresources.scale`, 'Unsupported value: this development server has no scale subresource'),
      );
    const schema = version.schema?.openAPIV3Schema;
    if (schema) causes.push(...schemaProblems(schema, `${at}.schema.openAPIV3Schema`));
    else causes.push(bad(`${at}.schema.openAPIV3Schema`, 'Required value: schemas are required'));
  }
  return causes;
}

function schemaProblems(schema: Schema, path: string): Cause[] {
  const causes: Cause[] = [];
  const bad = (field: string, message: string): void => {
    causes.push({ reason: 'FieldValueInvalid', field, message });
  };
  for (const key of Object.keys(schema))
    if (!KNOWN_KEYS.has(key)) bad(`${path}.${key}`, `Forbidden: ${key} is not served by this development server`);
  if (schema.format !== undefined && !FORMATS.has(schema.format))
    bad(`${path}.format`, `Unsupported value: "${schema.format}"`);
  if (
    schema.type === undefined &&
    !schema['x-kubernetes-int-or-string'] &&
    !schema['x-kubernetes-preserve-unknown-fields']
  )
    bad(`${path}.type`, 'Required value: must not be empty for specified object fields');
  causes.push(...ruleProblems(schema, path));
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    causes.push(...schemaProblems(inner, `${path}.properties[${name}]`));
  if (schema.items) causes.push(...schemaProblems(schema.items, `${path}.items`));
  if (isObject(schema.additionalProperties))
    causes.push(...schemaProblems(schema.additionalProperties as Schema, `${path}.additionalProperties`));
  return causes;
}

function ruleProblems(schema: Schema, path: string): Cause[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const unknown = Object.keys(rule).filter((key) => !RULE_KEYS.has(key));
    const causes = unknown.map((key) => ({
      reason: 'FieldValueForbidden',
      field: `${at}.${key}`,
      message: 'Forbidden: unknown field',
    }));
    for (const key of ['rule', 'messageExpression'] as const) {
      const problem = rule[key] === undefined ? undefined : celProblem(rule[key]);
      if (problem === undefined) continue;
      causes.push({
        reason: 'FieldValueInvalid',
        field: `${at}.${key}`,
        message: `Invalid value: compilation failed: ${problem}`,
      });
    }
    return causes;
  });
}
