import type { Json } from '../base/json.ts';
import type { CraftOrder } from '../domain/craft/craft-order.ts';
import type { EnrichField } from '../domain/enrichment/enrich-fields.ts';
import type { OutsideContact } from '../domain/outside-contact.ts';

/** What a node asks of a system outside: plain data; the engine knows who answers it. */
export type CallAsk =
  | {
      call: 'craft';
      personaId: string | null;
      /** What the node knows of the order; who performs it adds playbook, persona, voice and language. */
      order: Omit<CraftOrder, 'playbook' | 'persona' | 'voice' | 'language'>;
    }
  | { call: 'classify' }
  | { call: 'enrich'; fields: readonly EnrichField[]; contact: OutsideContact }
  | {
      call: 'slots';
      providerAccountId: string | null;
      durationMinutes: number;
      count: number;
      businessHoursOnly: boolean;
    }
  | {
      call: 'crm';
      integrationId: string;
      object: 'contact' | 'lead' | 'deal' | 'task';
      fields: Readonly<Record<string, string>>;
      contact: OutsideContact;
    }
  | { call: 'outreach'; integrationId: string; externalCampaignId: string; contact: OutsideContact }
  | {
      call: 'webhook';
      integrationId: string | null;
      url: string | null;
      /** Sent as it is; null: the envelope of the catalog's `webhook` section around `data`. */
      body: Json | null;
      data: Json;
      idempotencyKey: string;
      keepResponse: boolean;
      timeoutMs: number;
    };
