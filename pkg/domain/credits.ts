/** Prices in whole credits. Source: catalog `creditCosts`; charged only when the thing was delivered. */
export const CREDIT_PRICES = {
  lead_scrape: 1,
  lead_enrich_profile: 1,
  lead_enrich_email: 2,
  lead_enrich_email_verification: 1,
  lead_enrich_phone: 8,
  company_enrich: 1,
  ai_craft: 1,
  ai_craft_long: 2,
  ai_classify: 0,
  ai_playbook: 10,
  signal_scan: 1,
  competitor_check: 1,
  search_watch_run: 1,
  /** Per 100 connections. */
  connections_export: 1,
} as const;
export type CreditAction = keyof typeof CREDIT_PRICES;

/** Credits for so many units; whole, never negative. */
export function creditsFor(action: CreditAction, units: number): number {
  const per = action === 'connections_export' ? Math.ceil(units / 100) : Math.ceil(units);
  return CREDIT_PRICES[action] * Math.max(0, per);
}
