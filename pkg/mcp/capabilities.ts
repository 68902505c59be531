/** How the server calls itself. */
export function serverInfo(version: string): object {
  return { name: 'outrider', title: 'Outrider', version };
}

/** What a model is told before its first call. */
export const INSTRUCTIONS =
  'Outreach campaigns. Call svc_whoami first; every result names the next tool. workspaceId may be left out with a workspace key; lists go on with cursor. The resource outrider://guide/tools says what each tool is for; prompts cover planning a campaign, reviewing the queue and the weekly report.';

/** Lists change with a deployment only, which ends every stream: nobody is notified of it. */
const FEATURES = {
  tools: { listChanged: false },
  resources: { subscribe: true, listChanged: false },
  prompts: { listChanged: false },
  completions: {},
};

/** Capabilities of a session. */
export const SESSION_CAPABILITIES = { ...FEATURES, logging: {} };
/** Capabilities without a session, where logging is asked for by request and deprecated. */
export const STATELESS_CAPABILITIES = FEATURES;
