import { createPersona } from './create-persona.ts';
import { createPhase } from './create-phase.ts';
import { listPersonas } from './list-personas.ts';
import { listPhases } from './list-phases.ts';

export const personaPhaseTools = [createPersona, listPersonas, createPhase, listPhases];
