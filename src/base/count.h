/*
 * count.h: how many elements an array has.
 */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

/* Of an array, never of a pointer: -Wsizeof-pointer-div is an error. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
