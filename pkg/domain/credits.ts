/**
 * Prices in whole credits, what one is paid for, and when. Source: catalog `creditCosts`; charged only when the thing
 * was delivered. Prices are part of a version: `PRICES_SINCE` says from when this list holds.
 */
export const CREDIT_PRICES = {
  lead_scrape: { credits: 1, per: 'lead', chargedWhen: 'a profile was returned' },
  lead_enrich_profile: { credits: 1, per: 'profile found', chargedWhen: 'found; known and fresh is free' },
  lead_enrich_email: { credits: 2, per: 'email found', chargedWhen: 'found; known and fresh is free' },
  lead_enrich_email_verification: {
    credits: 1,
    per: 'email verified',
    chargedWhen: 'the answer is known; known and fresh is free',
  },
  lead_enrich_phone: { credits: 8, per: 'phone found', chargedWhen: 'found; known and fresh is free' },
  company_enrich: { credits: 1, per: 'company', chargedWhen: 'found' },
  ai_craft: { credits: 1, per: 'text', chargedWhen: 'text delivered' },
  ai_craft_long: { credits: 2, per: 'text', chargedWhen: 'text delivered' },
  ai_classify: { credits: 0, per: 'reply', chargedWhen: 'never: it is free' },
  ai_playbook: { credits: 10, per: 'playbook', chargedWhen: 'stored' },
  signal_scan: { credits: 1, per: 'lead newly scraped', chargedWhen: 'found' },
  competitor_check: { credits: 1, per: 'check', chargedWhen: 'the check was made' },
  search_watch_run: { credits: 1, per: 'run', chargedWhen: 'the run was made' },
  connections_export: { credits: 1, per: '100 connections', chargedWhen: 'exported' },
} as const;
export type CreditAction = keyof typeof CREDIT_PRICES;

/** From when these prices hold. */
export const PRICES_SINCE = '2026-01-01T00:00:00.000Z';

/** Credits for so many units; whole, never negative. */
export function creditsFor(action: CreditAction, units: number): number {
  const per = action === 'connections_export' ? Math.ceil(units / 100) : Math.ceil(units);
  return CREDIT_PRICES[action].credits * Math.max(0, per);
}
