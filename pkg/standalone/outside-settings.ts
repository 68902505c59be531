import { writerEnv } from '../providers/ai/choose-writer.ts';
import { enrichmentEnv } from '../providers/enrichment/choose-enrichment.ts';
import { bucketEnv } from '../providers/media/bucket.ts';

/** Settings of writer and enrichment that people may give `make run`; executors and MCP server get them as they are. */
const NAMES = Object.keys({ ...writerEnv, ...enrichmentEnv, ...bucketEnv });

/** Those of the MCP server alone: who this installation is to CRMs and to Google. */
const OAUTH_NAMES: readonly string[] = [
  'HUBSPOT_CLIENT_ID',
  'HUBSPOT_CLIENT_SECRET',
  'PIPEDRIVE_CLIENT_ID',
  'PIPEDRIVE_CLIENT_SECRET',
  'SALESFORCE_CLIENT_ID',
  'SALESFORCE_CLIENT_SECRET',
  'SALESFORCE_LOGIN_URL',
  'GOOGLE_CLIENT_ID',
  'GOOGLE_CLIENT_SECRET',
];

type Env = Readonly<Record<string, string | undefined>>;

/** Those of our own environment that are set. */
export function outsideSettings(env: Env): Record<string, string> {
  return settingsIn(env, NAMES);
}

/** Those of OAuth that are set. */
export function oauthSettings(env: Env): Record<string, string> {
  return settingsIn(env, OAUTH_NAMES);
}

/** Those of the names that an environment sets. */
export function settingsIn(env: Env, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name] ?? '']] : [])));
}
