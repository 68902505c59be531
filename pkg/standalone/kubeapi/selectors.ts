import { badRequest } from './status.ts';
import { readPath } from './table.ts';
import type { Kind, Stored } from './types.ts';

/** A parsed selector. */
export type Matcher = (object: Stored) => boolean;

const NAME_FIELDS = ['metadata.name', 'metadata.namespace'];
/** Field selectors of built-in kinds. */
const BUILTIN_FIELDS: Record<string, string[]> = {
  pods: ['spec.nodeName', 'status.phase', 'spec.restartPolicy', 'status.podIP'],
  events: [
    ...['name', 'namespace', 'kind', 'uid', 'apiVersion', 'fieldPath', 'resourceVersion'].flatMap((field) => [
      `involvedObject.${field}`,
      `regarding.${field}`,
    ]),
    ...['reason', 'type', 'reportingController'],
  ],
  namespaces: ['status.phase'],
  secrets: ['type'],
};

/** Compiles the selectors of a list or watch. @throws ApiError 400 for a field that can't be selected */
export function matcherOf(kind: Kind, labels: string | null, fields: string | null): Matcher {
  const checks = [...labelChecks(labels ?? ''), ...fieldChecks(kind, fields ?? '')];
  return (object) => checks.every((check) => check(object));
}

function fieldChecks(kind: Kind, text: string): Matcher[] {
  const allowed = [
    ...NAME_FIELDS,
    ...kind.selectable.map((path) => path.replace(/^\./, '')),
    ...(BUILTIN_FIELDS[kind.plural] ?? []),
  ];
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [, field = '', operator = '', value = ''] = /^([^!=]+)(==|!=|=)(.*)$/.exec(part) ?? [];
      if (!allowed.includes(field)) throw badRequest(`field label not supported: ${field || part}`);
      return (object) => {
        const found = readPath(object, `.${field}`) ?? fallback(object, field);
        return (String(found ?? '') === value) === (operator !== '!=');
      };
    });
}

/** Core events name their subject otherwise than events.k8s.io ones; both are one object here. */
function fallback(object: Stored, field: string): unknown {
  return field.startsWith('involvedObject.') ? readPath(object, `.regarding.${field.slice(15)}`) : undefined;
}

function labelChecks(text: string): Matcher[] {
  const parts = text.match(/[^,(]+\([^)]*\)|[^,]+/g) ?? [];
  return parts.map((raw) => {
    const part = raw.trim();
    const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(part);
    if (set) {
      const values = (set[3] ?? '').split(',').map((value) => value.trim());
      return (object) => values.includes(object.metadata.labels?.[set[1] ?? ''] ?? '\u0000') === (set[2] === 'in');
    }
    const pair = /^([^!=]+)(==|!=|=)(.*)$/.exec(part);
    if (pair)
      return (object) => (object.metadata.labels?.[pair[1]?.trim() ?? ''] === pair[3]?.trim()) === (pair[2] !== '!=');
    if (part.startsWith('!')) return (object) => object.metadata.labels?.[part.slice(1)] === undefined;
    return (object) => object.metadata.labels?.[part] !== undefined;
  });
}
