import { createPersona } from './create-persona.ts';
import { createPhase } from './create-phase.ts';
import { deletePersona } from './delete-persona.ts';
import { deletePhase } from './delete-phase.ts';
import { getPersona } from './get-persona.ts';
import { getPhase } from './get-phase.ts';
import { listPersonas } from './list-personas.ts';
import { listPhases } from './list-phases.ts';
import { updatePersona } from './update-persona.ts';
import { updatePhase } from './update-phase.ts';

export const personaPhaseTools = [
  createPersona,
  getPersona,
  listPersonas,
  updatePersona,
  deletePersona,
  createPhase,
  getPhase,
  listPhases,
  updatePhase,
  deletePhase,
];
