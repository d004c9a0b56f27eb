"""Writes quotes.csv: made-up prices of calls, to the cent. They are those of Heston's model of a stochastic variance (1993) by
Lewis's integral (2001), so the SABR model fits them well but not exactly. The spot price is 100, the rate 3 %.
"""

from cmath import exp, log, sqrt
from math import pi

v0, kappa, theta, sigma, rho = 0.09, 1.5, 0.07, 0.7, -0.6


def characteristic(u, t):
    """That of the logarithm of the price over the forward price (the form of Albrecher et al., 2007)."""
    b = kappa - rho * sigma * 1j * u
    d = sqrt(b * b + sigma**2 * (1j * u + u * u))
    g = (b - d) / (b + d)
    c = theta * kappa / sigma**2 * ((b - d) * t - 2 * log((1 - g * exp(-d * t)) / (1 - g)))
    return exp(c + v0 / sigma**2 * (b - d) * (1 - exp(-d * t)) / (1 - g * exp(-d * t)))


def price(spot, rate, strike, years, step=0.01, most=200):
    k = log(spot / strike) + rate * years
    f = lambda u: (exp(1j * u * k) * characteristic(u - 0.5j, years)).real / (u * u + 0.25)
    total = step * (f(0) / 2 + sum(f(i * step) for i in range(1, int(most / step))))
    return (spot - (sqrt(spot * strike) * exp(-rate * years / 2)).real / pi * total).real


with open("quotes.csv", "w") as quotes:
    print("years,strike,price", file=quotes)
    for years in 0.25, 0.5, 1, 2:
        for strike in range(70, 141, 10):
            print(f"{years},{strike},{price(100, 0.03, strike, years):.2f}", file=quotes)
