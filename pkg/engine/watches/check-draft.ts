import type { ListReading } from '../../domain/watches/known-run.ts';
import { OLDEST_NEWS_MS, type WatchState } from '../../domain/watches/watch-state.ts';
import type { NetworkPost, ShownPerson } from '../../providers/network/network-provider.ts';
import type { NewFinding, SeenItems } from '../../store/watches/keep-check.ts';
import type { Watch } from '../../store/watches/watches.ts';

/** A finding as it is drafted; what is absent is empty, and `at` is now. */
export type DraftFinding = Pick<NewFinding, 'kind' | 'item' | 'title' | 'url'> &
  Partial<Pick<NewFinding, 'ref' | 'at' | 'how' | 'terms' | 'author'>>;

const MOST_TITLE = 200;
const MOST_URL = 1_000;

/** What one check comes to, before it is kept as a whole. */
export class CheckDraft {
  readonly watch: Watch;
  readonly now: number;
  /** What the next check compares with. */
  readonly state: WatchState;
  readonly notes: string[] = [];
  /** What the first look showed: none of it is a finding. */
  baseline = 0;
  /** People whom an exclusion, or where they work, leaves out. */
  excluded = 0;
  readonly seenItems: SeenItems[] = [];
  readonly findings: { draft: DraftFinding; person: ShownPerson | null }[] = [];

  constructor(watch: Watch, now: number) {
    this.watch = watch;
    this.now = now;
    this.state = { ...watch.state, begun: { ...watch.state.begun }, gap: null };
  }

  /** Whether this is the first look at a stream; from now on it is not. */
  #begins(stream: 'posts' | 'people'): boolean {
    const begins = this.watch.state.begun?.[stream] !== true;
    this.state.begun = { ...this.state.begun, [stream]: true };
    return begins;
  }

  /** Remembers what a list showed, and the gap where it was not read as far as what is known. */
  #seen(stream: 'posts' | 'people', reading: ListReading<ShownPerson | NetworkPost>): void {
    this.seenItems.push({ stream, keys: reading.keys });
    if (reading.complete || this.watch.state.begun?.[stream] !== true) return;
    const times = reading.fresh.flatMap((item) => ('postedAt' in item ? item.postedAt : []));
    const to = times.length > 0 ? Math.min(...times) : this.now;
    this.state.gap = { from: Math.min(this.watch.lastCheckedAt ?? to, to), to };
    this.notes.push(`not all new ${stream} were read: there were more than one check reads`);
  }

  /** What is new on a list; at the first look nothing, which becomes the baseline. Old posts are no news. */
  news<T extends ShownPerson | NetworkPost>(stream: 'posts' | 'people', reading: ListReading<T>): readonly T[] {
    this.#seen(stream, reading);
    const fresh = reading.fresh.filter((item) => !('postedAt' in item) || item.postedAt > this.now - OLDEST_NEWS_MS);
    if (!this.#begins(stream)) return fresh;
    this.baseline += fresh.length;
    return [];
  }

  /** Of a company or of nobody. */
  find(draft: DraftFinding): void {
    this.findings.push({ draft, person: null });
  }

  /** Of a person, who becomes a lead. */
  findPerson(person: ShownPerson, draft: DraftFinding): void {
    this.findings.push({ draft, person });
  }

  /** A drafted finding as it is kept. */
  findingOf(draft: DraftFinding, leadId: string | null, id: string): NewFinding {
    return {
      id,
      leadId,
      kind: draft.kind,
      item: draft.item,
      ref: draft.ref ?? '',
      at: Math.round(draft.at ?? this.now),
      title: draft.title.replace(/\s+/g, ' ').trim().slice(0, MOST_TITLE),
      url: draft.url.slice(0, MOST_URL),
      how: draft.how ?? [],
      terms: draft.terms ?? [],
      author: draft.author ?? '',
    };
  }
}
