import { answerInputs } from '../../../base/foreign-bytes/parse-worker.ts';
import { readObjects } from './read-objects.ts';

/** The program of a worker that reads calendars. */
answerInputs(readObjects);
