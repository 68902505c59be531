import type { Logger } from '../base/log.ts';
import type { Shutdown } from '../base/shutdown.ts';
import { Component, type ComponentOptions } from './child-process.ts';
import type { ClockAuthority } from './clock-authority.ts';
import type { HomeDatabases } from './database-setup.ts';
import { freePort } from './free-port.ts';
import { type Home, sealingSettings } from './home.ts';
import type { KubeAccess } from './kube-access.ts';
import type { NodeAgent } from './node-agent/node-agent.ts';
import { oauthSettings, outsideSettings, settingsIn } from './outside-settings.ts';
import type { StandaloneSettings } from './settings.ts';

/** The mailbox of the sandbox that holds what the platform mailed. */
export const SYSTEM_MAILBOX = 'outrider@outrider.example';

/** Addresses of the started parts. */
export interface Components {
  mcpUrl: string;
  consoleUrl: string;
  mcpMetricsUrl: string;
  operatorMetricsUrl: string;
  sandboxUrl: string;
}

export interface ComponentsOptions {
  home: Home;
  settings: StandaloneSettings;
  databases: HomeDatabases;
  clock: ClockAuthority;
  kubeconfig: KubeAccess;
  namespace: string;
  log: Logger;
  shutdown: Shutdown;
  agent: NodeAgent;
}

/** Starts sandbox, MCP server and operator as processes of their own, with the entry points of a cluster. */
export async function startComponents(options: ComponentsOptions): Promise<Components> {
  const { home, clock, databases, settings, shutdown } = options;
  const [mcpMetrics, operatorMetrics, sandbox, internal, ingress, smtp] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const sandboxUrl = `http://127.0.0.1:${sandbox}`;
  const common = {
    PATH: process.env['PATH'] ?? '',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? home.path('compile-cache'),
    OUTRIDER_CLOCK: clock.address,
    DATABASE_URL: databases.appUrl,
    OUTRIDER_NAMESPACE: options.namespace,
    SANDBOX_URL: sandboxUrl,
    SANDBOX_API_KEY: home.secrets.sandboxApiKey,
  };
  const make = (name: string, env: Record<string, string>): Component => {
    const component = new Component(componentOptions(name, home, options.log, { ...common, ...env }));
    shutdown.add(name, () => component.stop());
    return component;
  };
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  const executorEnv = {
    METRICS_PORT: '0',
    SANDBOX_URL: sandboxUrl,
    INGRESS_URL: ingressUrl,
    PUBLIC_INGRESS_URL: ingressUrl,
  };
  await Promise.all([
    make('sandbox', {
      SANDBOX_PORT: String(sandbox),
      SANDBOX_SMTP_PORT: String(smtp),
      SANDBOX_HOME: home.path('sandbox'),
      SANDBOX_SEED: 'outrider',
    }).start(),
    make('operator', {
      EXECUTOR_DATABASE_URL: databases.executorUrl,
      KUBECONFIG_PATH: options.kubeconfig.operator,
      METRICS_PORT: String(operatorMetrics),
      POD_NAME: 'operator-standalone',
      EXECUTOR_IMAGE: 'cmd/executor',
      RESTORE_EPOCH_FILE: home.path('restore-epoch.json'),
      EXECUTOR_ENV_JSON: JSON.stringify(executorEnv),
      ...poolSettings(process.env),
    }).start(),
    make('mcp-server', {
      PORT: String(settings.port),
      HOST: '127.0.0.1',
      METRICS_PORT: String(mcpMetrics),
      INTERNAL_PORT: String(internal),
      INGRESS_PORT: String(ingress),
      SESSION_SECRET: home.secrets.sessionSecret,
      CURSOR_SECRET: home.secrets.cursorSecret,
      RUNNER_SECRET: home.secrets.runnerSecret,
      ...sealingSettings(home.secrets),
      ...mailSettings(process.env, smtp, home.secrets.sandboxApiKey),
      ...outsideSettings(process.env),
      ...oauthSettings(process.env),
      RUNNER_SECRET_ON_MAIN: 'true',
      CONSOLE_URL: `http://127.0.0.1:${settings.port}`,
      KUBECONFIG_PATH: options.kubeconfig.mcp,
      ...limitOverrides(),
    }).start(),
  ]);
  return {
    mcpUrl: `http://127.0.0.1:${settings.port}/mcp`,
    consoleUrl: `http://127.0.0.1:${settings.port}/console/`,
    mcpMetricsUrl: `http://127.0.0.1:${mcpMetrics}/metrics`,
    operatorMetricsUrl: `http://127.0.0.1:${operatorMetrics}/metrics`,
    sandboxUrl,
  };
}

function componentOptions(name: string, home: Home, log: Logger, env: Record<string, string>): ComponentOptions {
  const entry = new URL(`../../cmd/${name}/main.ts`, import.meta.url).pathname;
  return { name, entry, env, logFile: home.path('logs', `${name}.log`), log };
}

/** Where the platform's own mails go: into the sandbox's mailbox, unless somebody names a server of theirs. */
function mailSettings(env: NodeJS.ProcessEnv, port: number, password: string): Record<string, string> {
  if (env['MAIL_SMTP_HOST']) {
    const given = Object.entries(env).filter(([name, value]) => name.startsWith('MAIL_') && value);
    return Object.fromEntries(given) as Record<string, string>;
  }
  return {
    MAIL_SMTP_HOST: '127.0.0.1',
    MAIL_SMTP_PORT: String(port),
    MAIL_SMTP_TLS: 'none',
    MAIL_SMTP_USER: SYSTEM_MAILBOX,
    MAIL_SMTP_PASSWORD: password,
    MAIL_FROM: SYSTEM_MAILBOX,
  };
}

/** Whether workspaces share the processes of a pool, handed on from our own environment. */
function poolSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  return settingsIn(env, ['EXECUTOR_MODE', 'EXECUTOR_POOL_REPLICAS']);
}

/** The specification's overrides of the request limits, handed on from our own environment. */
function limitOverrides(): Record<string, string> {
  const perMinute = ['READ', 'WRITE', 'LLM', 'OVERALL'].map((category) => `MCP_RATE_LIMIT_${category}_PER_MIN`);
  const names = [
    ...perMinute,
    'MCP_RATE_LIMIT_OWNER_MULTIPLE',
    'MCP_MAX_LIVE_KEYS',
    'MCP_MAX_LIVE_GRANTS',
    'MCP_SIGN_IN',
  ];
  return settingsIn(process.env, names);
}
