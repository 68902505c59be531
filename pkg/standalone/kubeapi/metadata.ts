import { isObject } from './schema.ts';
import { badRequest, type Cause } from './status.ts';
import type { Fields, Stored } from './types.ts';

const METADATA_FIELDS = new Set([
  ...['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'labels'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'annotations', 'finalizers', 'ownerReferences'],
  ...['managedFields', 'selfLink'],
]);

/** Removes what is no field of metadata, and what is empty, in place. @returns the paths of the unknown */
export function pruneMetadata(object: Stored): string[] {
  for (const name of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const)
    if (Object.keys(object.metadata[name] ?? { kept: true }).length === 0) delete object.metadata[name];
  const unknown = Object.keys(object.metadata).filter((key) => !METADATA_FIELDS.has(key));
  for (const key of unknown) delete object.metadata[key];
  return unknown.map((key) => `metadata.${key}`);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextMap = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);
const FORMS: Record<string, { fits: (value: unknown) => boolean; type: string }> = {
  ...Object.fromEntries(
    ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'].map((name) => [
      name,
      { fits: isText, type: 'string' },
    ]),
  ),
  labels: { fits: isTextMap, type: 'map[string]string' },
  annotations: { fits: isTextMap, type: 'map[string]string' },
  finalizers: { fits: (value) => Array.isArray(value) && value.every(isText), type: '[]string' },
  ownerReferences: { fits: (value) => Array.isArray(value) && value.every(isObject), type: '[]v1.OwnerReference' },
};

/** Metadata as it came, without nulls. @throws ApiError 400 for a field of another type: whatever reads it relies on that */
export function typedMetadata(given: Fields): Fields {
  const metadata = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  for (const [name, { fits, type }] of Object.entries(FORMS)) {
    const value = metadata[name];
    if (value !== undefined && !fits(value))
      throw badRequest(`json: cannot unmarshal into Go struct field ObjectMeta.metadata.${name} of type ${type}`);
  }
  return metadata;
}

export const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$/;
/** Names of labels, annotations and finalizers: a DNS subdomain and a slash may stand before the name. */
export const QUALIFIED =
  /^(?=[^/]{1,253}\/|[^/]*$)([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
/** All annotations of an object together, bytes: also the copy that a client-side apply keeps of it. */
const MAX_ANNOTATIONS = 262_144;

/** What is wrong with labels, annotations, finalizers and owners. */
export function metadataProblems({ metadata }: Stored): Cause[] {
  return [
    ...labelProblems(metadata.labels ?? {}),
    ...annotationProblems(metadata),
    ...unqualified(metadata.finalizers ?? [], 'metadata.finalizers'),
    ...ownerProblems(metadata),
  ];
}

function unqualified(names: string[], field: string): Cause[] {
  return names
    .filter((name) => !QUALIFIED.test(name))
    .map((name) => ({
      reason: 'FieldValueInvalid',
      field,
      message: `Invalid value: ${JSON.stringify(name)}: a qualified name must be ${CHARACTERS}, with an optional DNS subdomain and '/' before it`,
    }));
}

const CHARACTERS =
  "at most 63 characters: alphanumeric, '-', '_' or '.', and must start and end with an alphanumeric character";

function labelProblems(labels: Record<string, string>): Cause[] {
  const causes = (texts: string[], form: RegExp, what: string, rule: string): Cause[] =>
    texts
      .filter((text) => !form.test(text))
      .map((text) => ({
        reason: 'FieldValueInvalid',
        field: 'metadata.labels',
        message: `Invalid value: ${JSON.stringify(text)}: ${what} must ${rule}`,
      }));
  return [
    ...causes(Object.keys(labels), QUALIFIED, 'the name of a label', `be ${CHARACTERS}`),
    ...causes(Object.values(labels), LABEL_VALUE, 'a valid label', `be an empty string or ${CHARACTERS}`),
  ];
}

function annotationProblems({ annotations = {} }: Stored['metadata']): Cause[] {
  const names = unqualified(
    Object.keys(annotations).map((name) => name.toLowerCase()),
    'metadata.annotations',
  );
  const size = Object.entries(annotations).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  if (size <= MAX_ANNOTATIONS) return names;
  const message = `Too long: may not be more than ${MAX_ANNOTATIONS} bytes`;
  return [...names, { reason: 'FieldValueTooLong', field: 'metadata.annotations', message }];
}

function ownerProblems({ ownerReferences = [] }: Stored['metadata']): Cause[] {
  const controllers = ownerReferences.filter((owner) => owner.controller === true).map(({ name }) => name);
  const message = `Invalid value: "[]": Only one reference can have Controller set to true. Found "true" in references for ${controllers.join(`and `)}`;
  const twice: Cause[] =
    controllers.length > 1 ? [{ reason: 'FieldValueInvalid', field: 'metadata.ownerReferences', message }] : [];
  const unsaid = ownerReferences.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const).flatMap((name) =>
      isText(owner[name]) && owner[name] !== ''
        ? []
        : [
            {
              reason: 'FieldValueInvalid',
              field: `metadata.ownerReferences.${name}`,
              message: `Invalid value: ${JSON.stringify(owner[name] ?? '')}: must not be empty`,
            },
          ],
    ),
  );
  return [...twice, ...unsaid];
}
