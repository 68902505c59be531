import { z } from 'zod';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import { CallError } from '../call-error.ts';
import { askOutside, jsonOf, type OutsideRequest } from '../outside-http.ts';
import type { OutreachAccess, OutreachOptions, OutreachProvider } from './outreach-provider.ts';

const TIMEOUT_MS = 15_000;
const listed = z.object({ items: z.array(z.object({ id: z.string(), email: z.string().nullish() })) });
// A lead that was in the campaign before is answered without an id.
const added = z.object({ id: z.string().optional() });

/** Instantly's API v2. */
export const instantly: OutreachProvider = {
  url: 'https://api.instantly.ai',
  settleAfterMs: 5 * 60_000,
  async check(access, signal) {
    await askOutside(requestTo(access, 'leads/list', { limit: 1 }, { signal }, true));
  },
  async add(access, campaignId, contact, options) {
    const known = await this.find(access, campaignId, contact, { signal: options.signal });
    if (known) return { id: known, duplicate: true };
    const body = { campaign: campaignId, ...leadOf(contact), skip_if_in_campaign: true };
    const answer = await askOutside(requestTo(access, 'leads', body, options, false));
    const parsed = added.safeParse(jsonOf(answer, false));
    if (!parsed.success) throw new CallError('lost', 'instantly answered in another shape');
    return { id: parsed.data.id ?? '', duplicate: parsed.data.id === undefined };
  },
  async find(access, campaignId, contact, { signal }) {
    const body = { campaign: campaignId, search: contact.email, limit: 10 };
    const answer = await askOutside(requestTo(access, 'leads/list', body, { signal }, true));
    const parsed = listed.safeParse(jsonOf(answer, true));
    if (!parsed.success) throw new CallError('busy', 'instantly answered in another shape');
    const same = parsed.data.items.find((item) => item.email?.toLowerCase() === contact.email?.toLowerCase());
    return same?.id ?? null;
  },
};

function leadOf({ email, firstName, lastName, company, title, profileUrl }: OutsideContact): object {
  return {
    email,
    first_name: firstName,
    last_name: lastName,
    company_name: company,
    custom_variables: { title, linkedin: profileUrl },
  };
}

function requestTo(
  { url, token, reach }: OutreachAccess,
  path: string,
  body: object,
  options: OutreachOptions,
  harmless: boolean,
): OutsideRequest {
  return {
    method: 'POST',
    url: `${url.replace(/\/+$/, '')}/api/v2/${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    ...options,
    harmless,
    reach,
  };
}
