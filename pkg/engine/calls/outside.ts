import type { Sealer } from '../../base/sealer.ts';
import type { AiWriter } from '../../providers/ai/ai-writer.ts';
import { chooseWriter, type WriterSettings } from '../../providers/ai/choose-writer.ts';
import type { CalendarWriter } from '../../providers/calendar/calendar-writer.ts';
import { CALENDAR_WRITERS } from '../../providers/calendar/calendar-writers.ts';
import type { CrmProvider } from '../../providers/crm/crm-provider.ts';
import type { EnrichmentDesk } from '../../providers/enrichment/ask-about.ts';
import { chooseEnrichment, type EnrichmentSettings } from '../../providers/enrichment/choose-enrichment.ts';
import { CRMS, OUTREACH_PLATFORMS, type ReachOf, reachBesides } from '../../providers/integrations.ts';
import { type Bucket, type BucketSettings, chooseBucket } from '../../providers/media/bucket.ts';
import type { OutreachProvider } from '../../providers/outreach/outreach-provider.ts';
import { SiteReader } from '../../providers/site/site-reader.ts';

/** Everything that call nodes reach. */
export interface Outside {
  writer: AiWriter;
  enrichment: EnrichmentDesk;
  /** By the account's provider. */
  calendarWriters: Readonly<Record<string, CalendarWriter>>;
  /** By the integration's provider. */
  crms: Readonly<Record<string, CrmProvider>>;
  outreach: Readonly<Record<string, OutreachProvider>>;
  /** Opens stored credentials; undefined: no key is configured, so none opens. */
  sealer: Sealer | undefined;
  /** Where addresses that workspaces gave may lead: to the public internet, and to the sandbox. */
  reachOf: ReachOf;
  /** Reads sites of companies. */
  sites: SiteReader;
  /** Where bytes of media lie that are not in the database; undefined: all are. */
  bucket?: Bucket | undefined;
}

export interface OutsideSettings extends WriterSettings, EnrichmentSettings, BucketSettings {
  /** Address of the sandbox, which may lie on this machine. */
  SANDBOX_URL?: string | undefined;
}

/** The real adapters, as the settings of the process choose them. */
export function openOutside(settings: OutsideSettings, sealer: Sealer | undefined): Outside {
  return {
    writer: chooseWriter(settings),
    enrichment: chooseEnrichment(settings),
    calendarWriters: CALENDAR_WRITERS,
    crms: CRMS,
    outreach: OUTREACH_PLATFORMS,
    sealer,
    reachOf: reachBesides(settings.SANDBOX_URL),
    sites: new SiteReader(settings.SANDBOX_URL),
    bucket: chooseBucket(settings),
  };
}
