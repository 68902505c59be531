import type { Connection } from './connection.ts';

/** What `make run` prints once everything serves. @param consoleLink of the web console, with the claim while nobody claimed it */
export function banner(connection: Connection, home: string, millis: number, consoleLink: string): string {
  const { mcpUrl, userKey, workspaceKey, workspaceId, kubeconfig } = connection;
  return `
Outrider is up (${(millis / 1_000).toFixed(1)} s). It is a development instance: loopback only, simulated network.

  console      ${consoleLink}
  MCP          ${mcpUrl}
  user key     ${userKey}   (all scopes)
  workspace    ${workspaceId}
  its key      ${workspaceKey}   (all but admin)
  kubeconfig   ${kubeconfig}
  for programs ${home}/connection.json

Next:
  npx outrider call svc_list_campaigns '{"workspaceId":"${workspaceId}"}'
  kubectl --kubeconfig ${kubeconfig} get outrider
  npx outrider mails                   (what it mailed, invitations for example; no mail leaves this machine)
  npx outrider clock --advance 1d      (time is a setting here; see npx outrider clock --help)

Stop with Ctrl-C.
`;
}
