import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';

/** A process that serves metrics on this machine. */
export interface ScrapeTarget {
  /** http://127.0.0.1:<port>/metrics */
  url: string;
  /** As the chart's monitors set them: component, and of an executor its pod and workspace. */
  labels: Readonly<Record<string, string>>;
}

const RULES = new URL('../../charts/outrider/files/rules/*.yaml', import.meta.url).pathname;

/**
 * Tells a Prometheus on this machine what to scrape: `prometheus.yml` and `targets.json` (file service discovery) in the
 * folder of a home, brought up to date as executors come and go.
 */
export class ScrapeTargets {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #targets = new Map<string, ScrapeTarget>();
  #written: Promise<void> = Promise.resolve();

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Adds or moves a process. */
  set(name: string, target: ScrapeTarget): void {
    this.#targets.set(name, target);
    this.#write();
  }

  /** The process is gone. */
  remove(name: string): void {
    if (this.#targets.delete(name)) this.#write();
  }

  /** Resolves when the files say what was set. */
  get written(): Promise<void> {
    return this.#written;
  }

  #write(): void {
    this.#written = this.#written.then(async () => {
      const groups = [...this.#targets.values()].map(({ url, labels }) => ({ targets: [new URL(url).host], labels }));
      await mkdir(this.#folder, { recursive: true });
      await this.#replace('targets.json', JSON.stringify(groups, null, 2));
      await this.#replace('prometheus.yml', CONFIG(join(this.#folder, 'targets.json')));
    });
    this.#written = this.#written.catch((error: unknown) => {
      this.#log.warn({ reason: messageOf(error) }, 'the scrape targets could not be written');
    });
  }

  /** Whole or not at all: Prometheus reads it whenever it changes. */
  async #replace(name: string, text: string): Promise<void> {
    const file = join(this.#folder, name);
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }
}

const CONFIG = (targets: string): string => `# Written by Outrider. Run: prometheus --config.file=<this file>
global: { scrape_interval: 15s, evaluation_interval: 15s }
rule_files: [${JSON.stringify(RULES)}]
scrape_configs:
  - job_name: outrider
    file_sd_configs: [{ files: [${JSON.stringify(targets)}] }]
`;
