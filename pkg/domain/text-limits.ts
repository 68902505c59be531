/**
 * Longest text per channel, characters: the network's own limits, and for a mail what its node takes. Sources: catalog
 * svc_edit_review_item (note 300, InMail 1900), svc_send_message (8000).
 */
export const TEXT_LIMITS = { message: 8_000, note: 300, inmail: 1_900, mail: 10_000, comment: 1_250 } as const;

/** Longest note of a basic account. Source: catalog svc_craft_connection_note. */
const BASIC_NOTE = 200;

/** Longest text that an account of this tier (null: not known) may send through a channel; null where there is no text. */
export function textLimit(channel: string, tier: string | null): number | null {
  if (channel === 'note' && tier === 'basic') return BASIC_NOTE;
  return Object.hasOwn(TEXT_LIMITS, channel) ? TEXT_LIMITS[channel as keyof typeof TEXT_LIMITS] : null;
}
