import type { CallAsk } from '../../nodes/call-ask.ts';
import { performClassify } from './perform-classify.ts';
import { performCraft } from './perform-craft.ts';
import { performCrm } from './perform-crm.ts';
import { performEnrich } from './perform-enrich.ts';
import { performOutreach } from './perform-outreach.ts';
import { performSlots } from './perform-slots.ts';
import { performWebhook } from './perform-webhook.ts';
import type { Performer } from './performer.ts';

/** Who answers which question. */
export const PERFORMERS: Readonly<Record<CallAsk['call'], Performer>> = {
  craft: performCraft,
  classify: performClassify,
  enrich: performEnrich,
  slots: performSlots,
  crm: performCrm,
  outreach: performOutreach,
  webhook: performWebhook,
};
