import { type Scope, TENANT_SCOPES } from './scopes.ts';

/** What a person chooses of a domain. */
export type ScopeChoice = 'none' | 'read' | 'write';

/** A part of the product that a person opens as a whole. */
export interface ScopeDomain {
  /** As in its scopes. */
  name: string;
  /** For people. */
  label: string;
  /** What can be chosen of it, least first. */
  choices: readonly ScopeChoice[];
}

const LABELS: Readonly<Record<string, string>> = {
  icps: 'Ideal customer profiles',
  accounts: 'Network accounts',
  outreach: 'Direct outreach',
  ext_integrations: 'Mail and calendar',
};

/** The domains of a workspace, in the order of its scopes. */
export const SCOPE_DOMAINS: readonly ScopeDomain[] = [...new Set(TENANT_SCOPES.map(domainOf))].map((name) => ({
  name,
  label: LABELS[name] ?? labelOf(name),
  choices: ['none', ...(['read', 'write'] as const).filter((action) => isScope(`${name}:${action}`))],
}));

/** The scopes that a choice opens: who changes something reads it too. */
export function scopesOfChoice(domain: string, choice: ScopeChoice): Scope[] {
  const actions = choice === 'write' ? ['read', 'write'] : choice === 'read' ? ['read'] : [];
  return actions.map((action) => `${domain}:${action}`).filter(isScope);
}

/** The most that these scopes choose of a domain. */
export function choiceOf(domain: string, scopes: readonly string[]): ScopeChoice {
  if (scopes.includes(`${domain}:write`)) return 'write';
  return scopes.includes(`${domain}:read`) ? 'read' : 'none';
}

function domainOf(scope: string): string {
  return scope.split(':')[0] ?? '';
}

function isScope(text: string): text is Scope {
  return (TENANT_SCOPES as readonly string[]).includes(text);
}

function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
