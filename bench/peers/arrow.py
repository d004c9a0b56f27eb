"""Polars, DuckDB and pandas on the queries of docs/arrow.md: processor time in milliseconds on 10 million rows, the least of five.

    pip install numpy pandas polars duckdb pyarrow
    POLARS_MAX_THREADS=1 taskset -c 0 python bench/peers/arrow.py [QUERY]

`go test . -bench Rows` in x/arrow prints the same queries of x/arrow and of arrow-go's compute.
"""

import resource
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl

ROWS = 10_000_000


def least(f):
    f()
    times = []
    for _ in range(5):
        begin = resource.getrusage(resource.RUSAGE_SELF)
        f()
        end = resource.getrusage(resource.RUSAGE_SELF)
        times.append(end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime)
    return 1e3 * min(times)


def queries(share):
    rng = np.random.default_rng(1)
    columns = [rng.standard_normal(ROWS) for _ in range(4)]
    nulls = rng.random(ROWS) < share
    names = "abcd"
    frame = pd.DataFrame({n: np.where(nulls, np.nan, c) for n, c in zip(names, columns)})
    table = pl.DataFrame({n: pl.Series(c) for n, c in zip(names, columns)}).with_columns(
        pl.when(pl.Series(~nulls)).then(pl.all()))
    arrow = table.to_arrow()
    db = duckdb.connect()
    db.execute("set threads=1")
    db.register("arrow", arrow)
    db.execute("create table t as select * from arrow")
    six = "count({0}), sum({0}), avg({0}), var_samp({0}), min({0}), max({0})"
    yield "six aggregates", {
        "Polars": lambda: table.select(f for n in names for f in (
            pl.col(n).count().alias(n + "0"), pl.col(n).sum().alias(n + "1"), pl.col(n).mean().alias(n + "2"),
            pl.col(n).var().alias(n + "3"), pl.col(n).min().alias(n + "4"), pl.col(n).max().alias(n + "5"))),
        "DuckDB": lambda: db.execute("select " + ", ".join(six.format(n) for n in names) + " from t").fetchall(),
        "pandas": lambda: frame.agg(["count", "sum", "mean", "var", "min", "max"])}
    yield "masked sum", {
        "Polars": lambda: table.select(pl.col("a").filter(pl.col("a") > 0.5).sum()),
        "DuckDB": lambda: db.execute("select sum(a) from t where a > 0.5").fetchall(),
        "pandas": lambda: frame.a[frame.a > 0.5].sum()}
    yield "standard scores", {
        "Polars": lambda: table.select((pl.col("a") - pl.col("a").mean()) / pl.col("a").std()),
        "pandas": lambda: (frame.a - frame.a.mean()) / frame.a.std()}
    yield "rolling mean", {
        "Polars": lambda: table.select(pl.col("a").rolling_mean(1000, min_samples=1)),
        "DuckDB": lambda: db.execute("select max(m) from (select avg(a) over (rows between 999 preceding and current row) m from t)").fetchall(),
        "pandas": lambda: frame.a.rolling(1000, min_periods=1).mean()}


for share in (0, 0.01, 0.5):
    for query, peers in queries(share):
        if query.startswith(" ".join(sys.argv[1:2])):
            print(query, share, {peer: round(least(f), 1) for peer, f in peers.items()}, flush=True)
