import { createCompetitorWatch } from './create-competitor-watch.ts';
import { deleteCompetitorWatch } from './delete-competitor-watch.ts';
import { getCompetitorWatch } from './get-competitor-watch.ts';
import { listCompetitorWatches } from './list-competitor-watches.ts';
import { pauseCompetitorWatch } from './pause-competitor-watch.ts';
import { resumeCompetitorWatch } from './resume-competitor-watch.ts';

export const competitorTools = [
  listCompetitorWatches,
  getCompetitorWatch,
  createCompetitorWatch,
  deleteCompetitorWatch,
  pauseCompetitorWatch,
  resumeCompetitorWatch,
];
