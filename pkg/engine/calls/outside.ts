import type { Sealer } from '../../base/sealer.ts';
import type { AiWriter } from '../../providers/ai/ai-writer.ts';
import { chooseWriter, type WriterSettings } from '../../providers/ai/choose-writer.ts';
import { caldav } from '../../providers/calendar/caldav.ts';
import type { CalendarProvider } from '../../providers/calendar/calendar-provider.ts';
import type { CrmProvider } from '../../providers/crm/crm-provider.ts';
import { hubspot } from '../../providers/crm/hubspot.ts';
import { chooseEnrichment, type EnrichmentSettings } from '../../providers/enrichment/choose-enrichment.ts';
import type { EnrichmentProvider } from '../../providers/enrichment/enrichment-provider.ts';
import { instantly } from '../../providers/outreach/instantly.ts';
import type { OutreachProvider } from '../../providers/outreach/outreach-provider.ts';

/** Everything that call nodes reach. */
export interface Outside {
  writer: AiWriter;
  enrichment: EnrichmentProvider | undefined;
  calendar: CalendarProvider;
  /** By the integration's provider. */
  crms: Readonly<Record<string, CrmProvider>>;
  outreach: Readonly<Record<string, OutreachProvider>>;
  /** Opens stored credentials; undefined: no key is configured, so none opens. */
  sealer: Sealer | undefined;
  /** Whether webhooks and calendars may lie on this machine or its networks: only where a sandbox stands in for them. */
  reach: 'public' | 'any';
}

export interface OutsideSettings extends WriterSettings, EnrichmentSettings {
  /** `any`: targets of webhooks and calendars are not checked (development and tests). */
  OUTSIDE_REACH?: 'public' | 'any' | undefined;
}

/** The real adapters, as the settings of the process choose them. */
export function openOutside(settings: OutsideSettings, sealer: Sealer | undefined): Outside {
  const reach = settings.OUTSIDE_REACH ?? 'public';
  return {
    writer: chooseWriter(settings),
    enrichment: chooseEnrichment(settings),
    calendar: caldav(reach),
    crms: { hubspot },
    outreach: { instantly },
    sealer,
    reach,
  };
}
