import { computed, signal } from '@preact/signals';
import { call, newKey } from '../../../api/call.ts';
import { type Failure, failureOf } from '../../../api/http.ts';
import { tableOf } from './csv-text.ts';
import type { Asked, ImportAnswer } from './import-types.ts';
import type { PickedFile } from './picked-file.ts';
import { putFile } from './upload.ts';

/** Where people of a file go, and what becomes of those who are there. */
export interface ImportOptions {
  /** Id of a list; '': none; `new`: one that is made. */
  list: string;
  newList: string;
  campaign: string;
  tags: string;
  onDuplicate: 'fill_empty' | 'skip' | 'overwrite';
  sourceNote: string;
}

const NO_OPTIONS: ImportOptions = {
  list: '',
  newList: '',
  campaign: '',
  tags: '',
  onDuplicate: 'fill_empty',
  sourceNote: '',
};

/** A column of the file, what stands in it, and where it goes. */
export interface ShownColumn {
  name: string;
  samples: string[];
  /** Null: nowhere. */
  target: string | null;
}

const SAMPLES = 3;
const SAMPLED_ROWS = 50;
/** How many times an import goes on whose answer got lost: each time it has minutes. */
const MOST_TRIES = 20;
const AGAIN_MS = 3_000;
/** 100,000 rows are looked at in minutes. */
const PATIENCE_MS = 600_000;

/** A file on its way in: what is known of it, and what is under way. All is signals, so that what shows it follows. */
export class ImportWork {
  readonly workspaceId: string;
  readonly picked: PickedFile;
  readonly options = signal<ImportOptions>(NO_OPTIONS);
  /** What somebody chose for columns. */
  readonly mapping = signal<Readonly<Record<string, string>>>({});
  /** What the server said of the beginning, by the mapping of now. */
  readonly preview = signal<ImportAnswer | undefined>(undefined);
  readonly previewFailure = signal<Failure | undefined>(undefined);
  readonly previewing = signal(false);
  /** What would happen with the whole file, by the mapping and options of now. */
  readonly check = signal<ImportAnswer | undefined>(undefined);
  readonly result = signal<ImportAnswer | undefined>(undefined);
  readonly busy = signal<'checking' | 'sending' | 'importing' | null>(null);
  /** Of a large file: how much has left, 0 to 1. */
  readonly sent = signal(0);
  readonly failure = signal<Failure | undefined>(undefined);
  /** The table as far as it is shown while somebody maps. */
  readonly columns = computed((): ShownColumn[] => this.#shown());
  #uploadUrl: string | undefined;
  #listId: { name: string; id: string } | undefined;
  /** Of the import that is under way or failed: made again it is the same. */
  #key: { of: string; key: string } | undefined;
  #abort = new AbortController();
  #previewAbort = new AbortController();

  constructor(workspaceId: string, picked: PickedFile) {
    this.workspaceId = workspaceId;
    this.picked = picked;
    this.options.value = { ...NO_OPTIONS, sourceNote: picked.name.slice(0, 200) };
  }

  /** Another file that goes the way of this one. */
  again(picked: PickedFile): ImportWork {
    const next = new ImportWork(this.workspaceId, picked);
    next.mapping.value = this.mapping.value;
    next.options.value = { ...this.options.value, list: this.listId ?? '' };
    return next;
  }

  /** Nobody waits any more. */
  end(): void {
    this.#abort.abort();
    this.#previewAbort.abort();
  }

  set(change: Partial<ImportOptions>): void {
    this.options.value = { ...this.options.value, ...change };
    this.check.value = undefined;
  }

  /** Sends a column elsewhere; null: where it would go by its name. */
  map(column: string, target: string | null): void {
    const { [column]: _, ...rest } = this.mapping.value;
    this.mapping.value = target === null ? rest : { ...rest, [column]: target };
    this.check.value = undefined;
    void this.look();
  }

  /** Asks where the columns go. */
  async look(): Promise<void> {
    this.#previewAbort.abort();
    const abort = new AbortController();
    this.#previewAbort = abort;
    this.previewing.value = true;
    try {
      const asked = { workspaceId: this.workspaceId, csv: this.picked.head, mapping: this.#mapping(), dryRun: true };
      this.preview.value = await call('svc_import_leads_csv', asked, { signal: abort.signal });
      this.previewFailure.value = undefined;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.previewFailure.value = failureOf(error);
    }
    this.previewing.value = false;
  }

  /** Says what would happen, and stores nothing. */
  async tryOut(): Promise<void> {
    await this.#work('checking', async (signal) => {
      this.check.value = await this.#call({ ...(await this.#request(signal)), dryRun: true }, signal);
    });
  }

  /** Stores the people. */
  async store(): Promise<void> {
    await this.#work('importing', async (signal) => {
      const { list, newList } = this.options.value;
      const leadListId = list === 'new' ? await this.#newList(newList.trim(), signal) : list || undefined;
      const asked = { ...(await this.#request(signal)), leadListId };
      this.busy.value = 'importing';
      const of = JSON.stringify({ ...asked, csv: undefined });
      if (this.#key?.of !== of) this.#key = { of, key: newKey() };
      this.result.value = await this.#untilDone({ ...asked, idempotencyKey: this.#key.key }, signal);
    });
  }

  /** The list that the people went to. */
  get listId(): string | undefined {
    const { list } = this.options.value;
    return list === 'new' ? this.#listId?.id : list || undefined;
  }

  async #work(what: 'checking' | 'importing', work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.busy.value !== null) return;
    this.busy.value = what;
    this.failure.value = undefined;
    const { signal } = this.#abort;
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) this.failure.value = failureOf(error);
    } finally {
      this.busy.value = null;
    }
  }

  #mapping(): Record<string, string> | undefined {
    return Object.keys(this.mapping.value).length === 0 ? undefined : { ...this.mapping.value };
  }

  async #request(signal: AbortSignal): Promise<Asked> {
    const { list, campaign, tags, onDuplicate, sourceNote } = this.options.value;
    const named = tags.split(',').flatMap((tag) => tag.trim() || []);
    const asked: Asked = {
      workspaceId: this.workspaceId,
      mapping: this.#mapping(),
      leadListId: list === '' || list === 'new' ? undefined : list,
      campaignId: campaign || undefined,
      tags: named.length === 0 ? undefined : named,
      onDuplicate,
      sourceNote: sourceNote.trim() || undefined,
    };
    if (!this.picked.large) return { ...asked, csv: this.picked.text };
    return { ...asked, csvUrl: await this.#upload(signal) };
  }

  /** The address at which the file is, put there once. */
  async #upload(signal: AbortSignal): Promise<string> {
    if (this.#uploadUrl !== undefined) return this.#uploadUrl;
    const { uploadUrl = '' } = await call('svc_import_leads_csv', { workspaceId: this.workspaceId }, { signal });
    const before = this.busy.value;
    this.busy.value = 'sending';
    this.sent.value = 0;
    await putFile(uploadUrl, this.picked.file, {
      signal,
      onSent: (share) => {
        this.sent.value = share;
      },
    });
    this.busy.value = before;
    this.#uploadUrl = uploadUrl;
    return uploadUrl;
  }

  /** A list is made once, also where the import behind it is tried again. */
  async #newList(name: string, signal: AbortSignal): Promise<string> {
    if (this.#listId?.name === name) return this.#listId.id;
    const { campaign } = this.options.value;
    const made = { workspaceId: this.workspaceId, name, campaignId: campaign || undefined };
    const { leadListId } = await call('svc_create_lead_list', made, { signal });
    this.#listId = { name, id: leadListId };
    return leadListId;
  }

  async #call(asked: Asked, signal: AbortSignal): Promise<ImportAnswer> {
    try {
      return await call('svc_import_leads_csv', asked, { signal, patienceMs: PATIENCE_MS });
    } catch (error) {
      // What lies there may be gone: the next try sends the file again.
      if (failureOf(error).kind === 'refused') this.#uploadUrl = undefined;
      throw error;
    }
  }

  /** A large file takes longer than an answer may: made again, the same import goes on where it was. */
  async #untilDone(asked: Asked, signal: AbortSignal): Promise<ImportAnswer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#call(asked, signal);
      } catch (error) {
        const failure = failureOf(error);
        if (signal.aborted || failure.kind !== 'away' || tries >= MOST_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  #shown(): ShownColumn[] {
    const known = this.preview.value?.columns;
    const names = known?.map(({ column }) => column);
    const table = tableOf(this.picked.head, names, SAMPLED_ROWS);
    const columns = table?.columns ?? names ?? [];
    return columns.map((name, place) => ({
      name,
      samples: samplesOf(table?.rows.map(({ cells }) => cells[place] ?? '') ?? []),
      target: this.mapping.value[name] ?? known?.[place]?.target ?? null,
    }));
  }
}

/** The first different cells that hold something. */
function samplesOf(cells: readonly string[]): string[] {
  return [...new Set(cells.filter((cell) => cell !== ''))].slice(0, SAMPLES);
}
