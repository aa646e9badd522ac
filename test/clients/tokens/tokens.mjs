// tokens.mjs: reads a JSON list of texts from standard input, writes a list of lists of their tokens
// as the model o200k_base or cl100k_base (the argument) has them.  A character that is split over
// tokens is one piece: that is how providers send it.
import { readFileSync } from "node:fs";
import { Tiktoken } from "js-tiktoken/lite";

const ranks = await import(`js-tiktoken/ranks/${process.argv[2]}`);
const tokenizer = new Tiktoken(ranks.default);

function split(text) {
	const pieces = [];
	let open = [];
	for (const token of tokenizer.encode(text, "all")) {
		open.push(token);
		const piece = tokenizer.decode(open);
		if (!piece.includes("\ufffd")) {
			pieces.push(piece);
			open = [];
		}
	}
	return pieces;
}

const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map(split)));
