import { plainWords } from '../../parts/words.ts';

/** What may be done in a domain: `all` is to read and to write. */
export type Level = 'none' | 'read' | 'write' | 'all';

/** A domain and the scopes of it that may be given. */
export interface Domain {
  name: string;
  read: boolean;
  write: boolean;
}

/** Domains in the order of their first scope. */
export function byDomain(scopes: readonly string[]): Domain[] {
  const domains = new Map<string, Domain>();
  for (const scope of scopes) {
    const [name = '', action] = scope.split(':');
    const domain = domains.get(name) ?? { name, read: false, write: false };
    if (action === 'read') domain.read = true;
    if (action === 'write') domain.write = true;
    domains.set(name, domain);
  }
  return [...domains.values()];
}

/** The levels that a domain has. */
export function levelsOf({ read, write }: Domain): Level[] {
  return [
    'none',
    ...(read ? (['read'] as const) : []),
    ...(write ? (['write'] as const) : []),
    ...(read && write ? (['all'] as const) : []),
  ];
}

export function levelOf({ name }: Domain, chosen: ReadonlySet<string>): Level {
  const [read, write] = [chosen.has(`${name}:read`), chosen.has(`${name}:write`)];
  if (read && write) return 'all';
  return read ? 'read' : write ? 'write' : 'none';
}

/** The scopes with another level of a domain, as far as the domain has it. */
export function withLevel(chosen: ReadonlySet<string>, domain: Domain, level: Level): ReadonlySet<string> {
  const next = new Set(chosen);
  const set = (scope: string, is: boolean): void => {
    if (is) next.add(scope);
    else next.delete(scope);
  };
  set(`${domain.name}:read`, domain.read && (level === 'read' || level === 'all'));
  set(`${domain.name}:write`, domain.write && (level === 'write' || level === 'all'));
  return next;
}

/** Scopes in words: `leads: all, inbox: read`. */
export function scopeWords(scopes: readonly string[]): string {
  const chosen = new Set(scopes);
  const words = byDomain(scopes).map((domain) => `${plainWords(domain.name)}: ${levelOf(domain, chosen)}`);
  return words.join(', ');
}
