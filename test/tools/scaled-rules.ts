import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULES } from './monitoring-files.ts';

/** The chart's rules with a second for each minute, so that an hour is seen in a test; thresholds stay. */
function scaled(text: string): string {
  const seconds: Record<string, number> = { m: 1, h: 60, d: 1_440 };
  return text
    .replace(/\[(\d+)([mhd])\]/g, (_all, count: string, unit: string) => `[${Number(count) * (seconds[unit] ?? 1)}s]`)
    .replace(/^(\s+for): \w+$/gm, '$1: 2s');
}

/** Writes the scaled rules and a configuration that scrapes a home every second. @returns the folder and the text */
export function scaledPrometheus(homeFolder: string): Promise<{ folder: string; config: string }> {
  return scaledRules(`
  - job_name: outrider
    file_sd_configs: [{ files: ["${homeFolder}/prometheus/targets.json"], refresh_interval: 1s }]
`);
}

/** The same with jobs of one's own: a YAML list, indented by two. */
export async function scaledRules(jobs: string): Promise<{ folder: string; config: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-rules-'));
  for (const name of readdirSync(RULES)) {
    await writeFile(join(folder, name), scaled(readFileSync(join(RULES, name), 'utf8')));
  }
  const config = `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: ["${folder}/*.yaml"]
scrape_configs:
${jobs}`;
  return { folder, config };
}
