import { LABEL_VALUE, QUALIFIED } from './metadata.ts';
import { ownField } from './own-field.ts';
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

/** One requirement: `!key`, `key`, `key=value`, `key in (a, b)` and their opposites, `key>1`. */
const REQUIREMENT =
  /^\s*(?:(?<absent>!)\s*)?(?<key>[^\s!=<>(),]+)(?:\s*(?<operator>==|=|!=|>|<)\s*(?<value>[^\s!=<>(),]*)|\s+(?<set>in|notin)\s*\((?<values>[^()]*)\))?\s*$/;

function labelChecks(text: string): Matcher[] {
  return text.trim() === '' ? [] : text.split(/,(?![^(]*\))/).map((part) => requirement(part, text));
}

/** @throws ApiError 400: what can't be understood must not select everything, or nothing */
function requirement(part: string, selector: string): Matcher {
  const found = REQUIREMENT.exec(part)?.groups;
  const { key = '', absent, operator, value = '', set, values = '' } = found ?? {};
  const wanted = set ? values.split(',').map((one) => one.trim()) : [value];
  const number = operator === '>' || operator === '<' ? /^-?\d+$/.test(value) : true;
  if (
    !found ||
    !QUALIFIED.test(key) ||
    !wanted.every((one) => LABEL_VALUE.test(one)) ||
    !number ||
    (absent && (operator || set))
  )
    throw badRequest(`unable to parse requirement: "${part.trim()}" of the label selector "${selector}"`);
  const of = (object: Stored): string | undefined => ownField(object.metadata.labels ?? {}, key) as string | undefined;
  if (absent) return (object) => of(object) === undefined;
  if (operator === '>') return (object) => Number(of(object) ?? Number.NaN) > Number(value);
  if (operator === '<') return (object) => Number(of(object) ?? Number.NaN) < Number(value);
  if (set || operator) {
    const equal = set === 'in' || operator === '=' || operator === '==';
    return (object) => {
      const label = of(object);
      return (label !== undefined && wanted.includes(label)) === equal;
    };
  }
  return (object) => of(object) !== undefined;
}
