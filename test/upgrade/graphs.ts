const DAY = 86_400_000;
const message = (nodeId: string, text: string): object => ({
  nodeId,
  nodeType: 'network:message',
  label: nodeId,
  config: { textMode: 'static', text },
});
const START = { nodeId: 'start', nodeType: 'source:manual', label: 'Start', config: {} };
const chain = (...nodes: object[]): object => ({
  nodes: [START, ...nodes],
  edges: nodes.map((_node, index) => ({ sourceIndex: index, targetIndex: index + 1 })),
});

/** A look, a day, a request, a wait for the acceptance, a message, a wait for the answer, a follow-up. */
export const FIRST_CONTACT = {
  nodes: [
    START,
    { nodeId: 'view', nodeType: 'network:profile_view', label: 'View', config: {} },
    { nodeId: 'wait', nodeType: 'flow:wait', label: 'Wait', config: { waitType: 'duration', durationMs: DAY } },
    {
      nodeId: 'connect',
      nodeType: 'network:connection_request',
      label: 'Connect',
      config: { noteMode: 'static', noteTemplate: 'Hi {{lead:firstName}}, may I connect?' },
    },
    { nodeId: 'accepted', nodeType: 'network:wait_connection', label: 'Accepted?', config: { timeoutMs: 14 * DAY } },
    message('hello', 'Thanks for connecting, {{lead:firstName}}.'),
    { nodeId: 'reply', nodeType: 'network:wait_reply', label: 'Reply?', config: { timeoutMs: 5 * DAY } },
    message('again', 'A short follow-up, {{lead:firstName}}.'),
    { nodeId: 'tag', nodeType: 'lead:tag', label: 'Answered', config: { add: ['answered'] } },
    { nodeId: 'end', nodeType: 'flow:end', label: 'End', config: {} },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3 },
    { sourceIndex: 3, targetIndex: 4 },
    { sourceIndex: 3, targetIndex: 5, branch: 'already_connected' },
    { sourceIndex: 4, targetIndex: 5, branch: 'accepted' },
    { sourceIndex: 4, targetIndex: 9, branch: 'timed_out' },
    { sourceIndex: 5, targetIndex: 6 },
    { sourceIndex: 6, targetIndex: 7, branch: 'timed_out' },
    { sourceIndex: 6, targetIndex: 8, branch: 'replied' },
    { sourceIndex: 7, targetIndex: 9 },
    { sourceIndex: 8, targetIndex: 9 },
  ],
};

export const REVIEWED_MESSAGE = {
  nodes: [
    START,
    { nodeId: 'look', nodeType: 'flow:review', label: 'Look', config: { expiresAfterMs: 30 * DAY } },
    message('hello', 'Hello {{lead:firstName}}, as we agreed.'),
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2, branch: 'approved' },
  ],
};

export const GREETING = chain(message('hello', 'Hello {{lead:firstName}}.'));

export const REQUEST = chain({
  nodeId: 'connect',
  nodeType: 'network:connection_request',
  label: 'Connect',
  config: { noteMode: 'none' },
});

export const BY_MAIL = {
  nodes: [
    START,
    {
      nodeId: 'first',
      nodeType: 'mail:send',
      label: 'First mail',
      config: { subject: 'A question, {{lead:firstName}}', text: 'How does {{lead:company}} plan its outreach?' },
    },
    { nodeId: 'reply', nodeType: 'mail:wait_reply', label: 'Reply?', config: { timeoutMs: 6 * DAY } },
    {
      nodeId: 'second',
      nodeType: 'mail:send',
      label: 'Second mail',
      config: { threadMode: 'reply', text: 'Did you see my question, {{lead:firstName}}?' },
    },
    { nodeId: 'end', nodeType: 'flow:end', label: 'End', config: {} },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3, branch: 'timed_out' },
    { sourceIndex: 2, targetIndex: 4, branch: 'replied' },
    { sourceIndex: 3, targetIndex: 4 },
  ],
};

/** @param integrationId of a CRM */
export const intoCrm = (integrationId: string): object =>
  chain({
    nodeId: 'push',
    nodeType: 'crm:push',
    label: 'Into the CRM',
    config: { integrationId, object: 'contact', fields: { jobtitle: '{{lead:title}}' } },
  });

/** Writes texts that cost credits, which a person then looks at. */
export const CRAFTED_MESSAGE = {
  nodes: [
    START,
    { nodeId: 'craft', nodeType: 'ai:craft', label: 'Opener', config: { channel: 'message', requireFacts: 0 } },
    { nodeId: 'look', nodeType: 'flow:review', label: 'Look', config: { expiresAfterMs: 30 * DAY } },
    {
      nodeId: 'hello',
      nodeType: 'network:message',
      label: 'Send it',
      config: { textMode: 'craft', text: '{{craft:Opener}}' },
    },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3, branch: 'approved' },
  ],
};
