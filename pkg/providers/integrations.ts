import type { CrmProvider } from './crm/crm-provider.ts';
import { hubspot } from './crm/hubspot.ts';
import { pipedrive } from './crm/pipedrive.ts';
import { salesforce } from './crm/salesforce.ts';
import { instantly } from './outreach/instantly.ts';
import type { OutreachProvider } from './outreach/outreach-provider.ts';

/** CRMs that can be connected, by the name of their integration. */
export const CRMS: Readonly<Record<string, CrmProvider>> = { hubspot, pipedrive, salesforce };

/** Outreach platforms that can be connected, by the name of their integration. */
export const OUTREACH_PLATFORMS: Readonly<Record<string, OutreachProvider>> = { instantly };

/** Where addresses that workspaces give may lead. */
export type ReachOf = (url: string) => 'public' | 'any';

/** To the public internet, and to the sandbox where there is one, which may lie on this machine. */
export function reachBesides(sandboxUrl: string | undefined): ReachOf {
  const sandbox = sandboxUrl ? `${sandboxUrl.replace(/\/+$/, '')}/` : undefined;
  return (url) => (sandbox !== undefined && url.startsWith(sandbox) ? 'any' : 'public');
}
