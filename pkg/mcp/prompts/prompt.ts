/** An argument of a prompt; MCP knows text only. */
export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  /** Records whose ids complete it. */
  completes?: 'campaign' | 'workspace';
}

/** A job that a person starts from a client's menu; the text names the tools in the order of the work. */
export interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** @param given texts of the declared arguments; required ones are there */
  text: (given: Readonly<Record<string, string>>) => string;
}

/** Which workspace the work is in; a workspace key needs none. */
export const workspaceArgument: PromptArgument = {
  name: 'workspaceId',
  description: 'Workspace to work in; needed with a user key (svc_whoami lists them).',
  required: false,
  completes: 'workspace',
};

/** How a text speaks of the workspace. */
export function inWorkspace(given: Readonly<Record<string, string>>): string {
  const { workspaceId } = given;
  return workspaceId ? ` in the workspace "${workspaceId}" (pass it as workspaceId)` : '';
}
