import { z } from 'zod';
import { parseEnv } from '../../pkg/base/config.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { sealingEnv } from '../../pkg/base/sealing-env.ts';
import { isThisMachine } from '../../pkg/base/this-machine.ts';
import { writerEnv } from '../../pkg/providers/ai/choose-writer.ts';
import { enrichmentEnv } from '../../pkg/providers/enrichment/choose-enrichment.ts';
import { bucketEnv } from '../../pkg/providers/media/bucket.ts';

const port = z.coerce.number().int().min(0).max(65_535).default(0);
const digits = (most: number, fallback: number) =>
  z
    .string()
    .regex(new RegExp(`^[1-9]\\d{0,${most - 1}}$`), `must be a whole number from 1 to ${'9'.repeat(most)}`)
    .transform(Number)
    .default(fallback);
const perMinute = (fallback: number) => digits(9, fallback);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );
const secret = z.string().min(16, 'must be at least 16 characters');

/** Environment of the MCP server. */
export const settingsSchema = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(7420),
  METRICS_PORT: port,
  INTERNAL_PORT: port,
  INGRESS_PORT: port,
  /** Address under which the world reaches the ingress; without it where it listens. */
  INGRESS_URL: z.url().optional(),
  /** Address under which people reach the web console's host; without it nothing is mailed that leads there. */
  CONSOLE_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The OpenID provider by which people sign in to it, as its metadata names it; https, or http on this machine. */
  CONSOLE_OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  CONSOLE_OIDC_CLIENT_ID: z.string().min(1).optional(),
  CONSOLE_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  /** What its button says. */
  CONSOLE_OIDC_NAME: z.string().min(1).max(60).default('Single sign-on'),
  /** Folder of the console's built pages. */
  CONSOLE_PAGES: z.string().optional(),
  DATABASE_URL: z.string().min(1),
  /** Where calls are counted; without it in Postgres. */
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  SESSION_SECRET: secret,
  CURSOR_SECRET: secret,
  RUNNER_SECRET: secret.optional(),
  RUNNER_SECRET_ON_MAIN: z.enum(['true', 'false']).default('false'),
  /** Milliseconds for which a server that stops still accepts, while load balancers notice. */
  DRAIN_MS: z.coerce.number().int().min(0).max(60_000).default(0),
  ALLOWED_HOSTS: list,
  ALLOWED_ORIGINS: list,
  OUTRIDER_CLOCK: z.string().optional(),
  OUTRIDER_NAMESPACE: z.string().default('outrider'),
  KUBECONFIG_PATH: z.string().optional(),
  OUTRIDER_PARENT_PIPE: z.string().optional(),
  SANDBOX_URL: z.url().optional(),
  SANDBOX_API_KEY: z.string().optional(),
  UNIPILE_BASE_URL: z.url().optional(),
  UNIPILE_API_KEY: z.string().optional(),
  /** Seal the credentials of integrations; executors open them under the same key. */
  ...sealingEnv,
  /** The server through which the platform mails (invitations); without it links stand in answers and prove nothing. */
  MAIL_SMTP_HOST: z.string().min(1).optional(),
  MAIL_SMTP_PORT: z.coerce.number().int().min(1).max(65_535).default(587),
  /** TLS from the start, upgraded before anything is said, or none (loopback). */
  MAIL_SMTP_TLS: z.enum(['implicit', 'starttls', 'none']).default('starttls'),
  /** Without a user the server takes mail without a login. */
  MAIL_SMTP_USER: z.string().default(''),
  MAIL_SMTP_PASSWORD: z.string().default(''),
  /** Address and name of its mails. */
  MAIL_FROM: z.email().optional(),
  MAIL_FROM_NAME: z.string().max(100).default('Outrider'),
  /** How this installation is known to CRMs: a client of OAuth at each of them, whose return address is INGRESS_URL/oauth/return. */
  HUBSPOT_CLIENT_ID: z.string().min(1).optional(),
  HUBSPOT_CLIENT_SECRET: z.string().min(1).optional(),
  PIPEDRIVE_CLIENT_ID: z.string().min(1).optional(),
  PIPEDRIVE_CLIENT_SECRET: z.string().min(1).optional(),
  SALESFORCE_CLIENT_ID: z.string().min(1).optional(),
  SALESFORCE_CLIENT_SECRET: z.string().min(1).optional(),
  SALESFORCE_LOGIN_URL: z.url().optional(),
  GOOGLE_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_CLIENT_SECRET: z.string().min(1).optional(),
  ...writerEnv,
  ...enrichmentEnv,
  ...bucketEnv,
  MCP_RATE_LIMIT_READ_PER_MIN: perMinute(120),
  MCP_RATE_LIMIT_WRITE_PER_MIN: perMinute(30),
  MCP_RATE_LIMIT_LLM_PER_MIN: perMinute(10),
  MCP_RATE_LIMIT_OVERALL_PER_MIN: perMinute(240),
  /** How many times the limits of one key all keys of a user, or of a workspace, have together. */
  MCP_RATE_LIMIT_OWNER_MULTIPLE: digits(3, 5),
  /** Live keys that a user, or a workspace, has at most. */
  MCP_MAX_LIVE_KEYS: digits(4, 50),
  /** Chat clients that a user lets in at most, beside their keys. */
  MCP_MAX_LIVE_GRANTS: digits(4, 50),
  /** Whether people let chat clients in that know an address alone (OAuth); off: by keys alone. It needs CONSOLE_URL, except on this machine. */
  MCP_SIGN_IN: z.enum(['on', 'off']).default('on'),
});
export type Settings = z.output<typeof settingsSchema>;

/** @throws UserError naming what is missing, wrong, or a limit that does not exist */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const known = Object.keys(settingsSchema.shape).filter((name) => name.startsWith('MCP_RATE_LIMIT_'));
  const unknown = Object.keys(env).filter((name) => name.startsWith('MCP_RATE_LIMIT_') && !known.includes(name));
  if (unknown.length > 0) {
    throw new UserError(
      `Settings are wrong: ${unknown.join(', ')}: unknown; known are ${known.join(', ')}`,
      'InvalidSettings',
    );
  }
  const settings = parseEnv(settingsSchema, env);
  requireTogether(settings, 'MAIL_SMTP_HOST', ['MAIL_FROM', 'OUTRIDER_SECRETS_KEY']);
  const ofOidc = ['CONSOLE_URL', 'CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET'] as const;
  requireTogether(settings, 'CONSOLE_OIDC_ISSUER', ofOidc);
  const { CONSOLE_OIDC_ISSUER: issuer = '', CONSOLE_URL: console = '' } = settings;
  if (issuer.startsWith('http:') && !isThisMachine(issuer))
    throw new UserError('Settings are wrong: CONSOLE_OIDC_ISSUER: must be https', 'InvalidSettings');
  if (console !== '' && new URL(console).href !== `${new URL(console).origin}/`)
    throw new UserError('Settings are wrong: CONSOLE_URL: is a host without a path', 'InvalidSettings');
  return settings;
}

/** @throws UserError where one is given and another that it needs is not */
function requireTogether(settings: Settings, given: keyof Settings, needs: readonly (keyof Settings)[]): void {
  if (settings[given] === undefined) return;
  for (const needed of needs) {
    if (settings[needed] === undefined)
      throw new UserError(`Settings are wrong: ${needed}: is required with ${given}`, 'InvalidSettings');
  }
}
