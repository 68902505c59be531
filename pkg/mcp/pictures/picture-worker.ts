import { answerInputs } from '../../base/foreign-bytes/parse-worker.ts';
import { layOut } from './lay-out.ts';
import type { GraphShape, Layout } from './picture.ts';

/** The program of a worker that lays out graphs: a large one takes seconds, which no other call is to wait for. */
answerInputs((shape: GraphShape): Layout => layOut(shape));
