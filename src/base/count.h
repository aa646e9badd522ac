/*
 * count.h: the number of elements of an array.
 */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

/* For arrays only: -Wsizeof-pointer-div makes it an error for a pointer. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
