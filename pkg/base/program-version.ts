import { readFileSync } from 'node:fs';

/** The version of this program, from the one place that names it: package.json, which also lies beside the bundles of the image. */
export const PROGRAM_VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
