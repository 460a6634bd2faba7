# The lines of validation_ablation as a table: by how many percentage points the mean error of kernels grows with a term
# removed or doubled, and how many kernels the term helps or harms. Less than 0.1 points is neither.
function tell(change) {
    if (missing[term, change] == kernels)
        return " needed | | |"
    return sprintf(" %+.2f | %d | %d |", 100 * sum[term, change] / (kernels - missing[term, change]),
                   helped[term, change], harmed[term, change])
}

function add(change, error, with) {
    if (with == "nan" || with == "-nan") {
        missing[$1, change]++
        return
    }
    sum[$1, change] += with - error
    helped[$1, change] += with - error > 0.001
    harmed[$1, change] += with - error < -0.001
}

$5 != "nan" && $5 != "-nan" {
    if (!($3 in variants)) {
        kernels++
        variants[$3] = $4
        all += $4
        error += $5
    }
    if (!($1 in kind))
        order[++terms] = $1
    kind[$1] = $2
    removed[$1] += $6
    either[$1] += $6 + $8
    add(1, $5, $7)
    add(2, $5, $9)
}

END {
    printf "# What each term of the model is worth\n\n"
    printf "%d variants of %d kernels, mean error of a kernel %.2f %%. A term that helps a kernel makes its mean error smaller\n", all, kernels, 100 * error / kernels
    printf "by 0.1 percentage points or more. \"needed\": nothing is predicted without it. `benchmarks/validation/ablation` makes\nthis table.\n\n"
    print "| term | kind | variants changed | removed: error, points | helps kernels | harms | doubled: error, points | helps | harms |"
    print "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    for (i = 1; i <= terms; i++) {
        term = order[i]
        if (either[term])
            printf "| %s | %s | %d |%s%s\n", term, kind[term], removed[term], tell(1), tell(2)
        else
            unused = unused (unused ? ", " : "") term
    }
    if (unused)
        printf "\nNo estimate of these variants depends on: %s.\n", unused
}
