/** Settings of writer and enrichment that people may give `make run`; executors and MCP server get them as they are. */
const NAMES = [
  'AI_PROVIDER',
  'AI_BASE_URL',
  'AI_API_KEY',
  'AI_MODEL',
  'ENRICHMENT_PDL_URL',
  'ENRICHMENT_PDL_KEY',
  'ENRICHMENT_HUNTER_URL',
  'ENRICHMENT_HUNTER_KEY',
];

/** Those of our own environment that are set. */
export function outsideSettings(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(NAMES.flatMap((name) => (env[name] ? [[name, env[name] ?? '']] : [])));
}
