import { createSignalAgent } from './create-signal-agent.ts';
import { deleteSignalAgent } from './delete-signal-agent.ts';
import { getSignalAgent } from './get-signal-agent.ts';
import { getSignalAgentStats } from './get-signal-agent-stats.ts';
import { listSignalAgentLeads } from './list-signal-agent-leads.ts';
import { listSignalAgents } from './list-signal-agents.ts';
import { pauseSignalAgent } from './pause-signal-agent.ts';
import { resumeSignalAgent } from './resume-signal-agent.ts';
import { runSignalAgent } from './run-signal-agent.ts';
import { updateSignalAgent } from './update-signal-agent.ts';

export const signalAgentTools = [
  listSignalAgents,
  getSignalAgent,
  createSignalAgent,
  updateSignalAgent,
  deleteSignalAgent,
  pauseSignalAgent,
  resumeSignalAgent,
  getSignalAgentStats,
  listSignalAgentLeads,
  runSignalAgent,
];
